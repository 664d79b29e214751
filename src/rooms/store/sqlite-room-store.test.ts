import { describeRoomStore } from '../testing/store/rules.ts';
import { openTestStore, overPort } from '../testing/store/sqlite-room-store.ts';

describeRoomStore('sqlite', (t) => openTestStore(t));
describeRoomStore('sqlite over a port', (t) => openTestStore(t, { wrap: overPort }));

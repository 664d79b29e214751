import { describeRoomStore } from '../../testing/room-store-rules.ts';
import { openTestStore } from '../../testing/sqlite-room-store.ts';

describeRoomStore('sqlite', (t) => openTestStore(t));

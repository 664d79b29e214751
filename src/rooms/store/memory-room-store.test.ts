import { openMemoryTestStore } from '../testing/store/memory-room-store.ts';
import { describeRoomStore } from '../testing/store/rules.ts';

describeRoomStore('memory', openMemoryTestStore);

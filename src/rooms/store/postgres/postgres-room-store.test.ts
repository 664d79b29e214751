import { needsPostgres } from '../../../testing/postgres.ts';
import { openPostgresTestStore } from '../../testing/store/postgres-room-store.ts';
import { describeRoomStore } from '../../testing/store/rules.ts';

describeRoomStore('postgres', (t) => openPostgresTestStore(t));

import { describe, type TestContext, test } from 'node:test';
import { needsPostgres } from '../../../testing/postgres.ts';
import { sharePostgresTestStore } from '../../testing/store/postgres-room-store.ts';
import { describeRoomStore } from '../../testing/store/rules.ts';

const all = { skip: (reason?: string) => test('postgres', { skip: reason ?? true }) } as unknown as TestContext;

if (needsPostgres(all)) describe('postgres', () => describeRoomStore('postgres', sharePostgresTestStore()));

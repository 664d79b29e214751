// Rooms with sign-in, for tests of rights.
import assert from 'node:assert/strict';
import type { Cleanup } from '../../testing/processes.ts';
import type { RoomsOptions } from '../config/rooms-options.ts';
import { openTestRooms, type RequestParts, type RoomsAnswer, type TestRooms, type TestRoomsOptions } from './app.ts';

export interface TestPeople extends TestRooms {
  /** `as`: one of the users, or `admin`, an admin of the server. */
  send(method: string, path: string, parts?: RequestParts): Promise<RoomsAnswer>;
}

/** Rooms with `--auth token` and users of these ids, no admins; `bot:ci` is a bot. */
export async function openPeople(
  t: Cleanup,
  ids: readonly string[],
  { options, ...rest }: TestRoomsOptions = {},
): Promise<TestPeople> {
  const all: Partial<RoomsOptions> = { ...options, auth: 'token' };
  const rooms = await openTestRooms(t, { ...rest, options: all });
  const secrets = new Map([['admin', rooms.rooms.firstToken ?? '']]);
  const send: TestPeople['send'] = (method, path, { as = 'admin', headers, ...parts } = {}) =>
    rooms.send(method, path, { ...parts, headers: { authorization: `Bearer ${secrets.get(as)}`, ...headers } });
  for (const id of ids) {
    const [name = id, kind = 'human'] = id.split(':').reverse();
    const user = await send('POST', '/api/user', { body: { id: name, name, kind } });
    assert.equal(user.status, 201, user.text);
    const token = await send('POST', '/api/token', { body: { name, userId: name } });
    assert.equal(token.status, 201, token.text);
    secrets.set(name, token.json.secret);
  }
  return { ...rooms, send };
}

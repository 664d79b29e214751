import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../testing/fake/clock.ts';
import { type StoredDirectory, unpackDirectory } from '../../testing/stored-directory.ts';
import { openTestRooms } from '../testing/app.ts';

interface StoredRooms extends StoredDirectory {
  /** Of the admin. */
  readonly token: string;
  /** The answer to a POST with the idempotency key `room-once`. */
  readonly room: { readonly id: string };
}

/** Posted at the very end, after all other requests. */
const LAST = 'last-message';

const CHANGING = ['onlineCount', 'cursor', 'lastSeq', 'lastMessageAt', 'firingAlerts'];

/** The parts of an answer that the end of the server and its last message do not change. */
function lasting(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null) return answer;
  if (Array.isArray(answer)) return answer.filter((item) => !JSON.stringify(item).includes(LAST)).map(lasting);
  const fields = Object.entries(answer).filter(([name]) => !CHANGING.includes(name));
  return Object.fromEntries(fields.map(([name, value]) => [name, lasting(value)]));
}

for (const end of ['stopped', 'killed']) {
  test(`a data directory of 0.1.0 that was ${end} opens with its whole content, and accepts more`, async (t) => {
    const { path, stored } = unpackDirectory<StoredRooms>(t, `rooms/testdata/0.1.0-${end}.json.br`);
    const rooms = await openTestRooms(t, {
      folder: path,
      clock: new FakeClock(stored.time),
      options: { auth: 'token', secretKey: undefined },
    });
    const headers = { authorization: `Bearer ${stored.token}` };
    assert.ok(Object.keys(stored.answers).length >= 9);
    await rooms.core.store.indexed();
    for (const [request, answer] of Object.entries(stored.answers)) {
      const { status, text, json } = await rooms.send('GET', request, { headers });
      assert.equal(status, 200, request);
      if (request === `/api/message/${LAST}`) assert.deepEqual(json, answer);
      else assert.deepEqual(lasting(json ?? text), lasting(answer), request);
    }
    assert.doesNotMatch(rooms.log(), /secrets cannot be decrypted/);
    const keyed = { ...headers, 'idempotency-key': 'room-once' };
    const again = await rooms.send('POST', '/api/room', { headers: keyed, body: { name: 'Once' } });
    assert.equal(again.json.id, stored.room.id);
    const page = await rooms.send('GET', '/api/room/ops/message', { headers });
    const last = page.json.messages.at(-1);
    const { json } = await rooms.send('POST', '/api/message', { headers, body: { roomId: 'ops', body: 'goes on' } });
    assert.equal(json.seq, last.seq + 1);
  });
}

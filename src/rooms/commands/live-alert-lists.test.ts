import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { type AlertRoom, bearer, openAlertRoom } from '../testing/alert-room.ts';
import type { RequestParts } from '../testing/app.ts';

const LOOK_MS = 15_000;

const COUNTED = /^(\d+) active/;
const countOf = async ({ send }: AlertRoom, id: string): Promise<number> =>
  Number(COUNTED.exec((await send('GET', `/api/message/${id}`)).json.body)?.[1]);

interface List {
  readonly room: AlertRoom;
  readonly id: string;
  /** Of ben's token. */
  readonly tokenId: string;
}

type Ending = (list: List) => Promise<{ readonly status: number; readonly text: string }>;

const put =
  (path: string, body: object, as = 'ana'): Ending =>
  ({ room }) =>
    room.send('PUT', path, { as, body });

const ENDINGS: readonly (readonly [string, Ending])[] = [
  ['the room is archived', put('/api/room/ops', { name: 'Ops', visibility: 'private', archived: true })],
  ['the room is read-only', put('/api/room/ops', { name: 'Ops', visibility: 'private', readOnly: true })],
  ['the room is named no more', put('/api/room/ops', { name: 'Ops', slug: 'other', visibility: 'private' })],
  ['the room is deleted', ({ room }) => room.send('DELETE', '/api/room/ops', { as: 'ana' })],
  ['the list is deleted', ({ room, id }) => room.send('DELETE', `/api/message/${id}`, { as: 'ana' })],
  ['its asker is taken out', ({ room }) => room.send('DELETE', '/api/room/ops/member/ben', { as: 'ana' })],
  ['its asker is made a guest', put('/api/room/ops/member/ben', { role: 'guest' })],
  ['its asker is muted', put('/api/room/ops/member/ben', { silencedUntil: '2031-01-01T00:00:00Z' })],
  ['its asker is disabled', ({ room }) => room.send('DELETE', '/api/user/ben')],
  ['its token is revoked', ({ room, tokenId }) => room.send('DELETE', `/api/token/${tokenId}`)],
];
for (const [when, end] of ENDINGS)
  test(`a list of alerts sends no more requests to the alert server when ${when}`, async (t) => {
    const room = await openAlertRoom(t, { alertsRooms: ['ops'] });
    const { json } = await room.send('POST', '/api/token', { body: { name: 'x', userId: 'ben' } });
    const parts: RequestParts = { headers: bearer(json.secret), body: { body: '/alerts' } };
    const { id } = (await room.send('POST', '/api/room/ops/message', parts)).json;
    room.firing.count = 2;
    room.clock.advance(LOOK_MS);
    await eventually('the list shows what fires now', async () => (await countOf(room, id)) === 2);
    const before = room.asked.length;
    const ended = await end({ room, id, tokenId: json.token.id });
    assert.ok(ended.status < 300, ended.text);
    room.firing.count = 3;
    for (let i = 0; i < 3; i++) room.clock.advance(LOOK_MS);
    // Earlier requests would have arrived before this one.
    assert.equal((await room.say('admin', 'lair', '/silence? 1h a=b')).status, 200);
    assert.equal(room.asked.length, before + 1);
  });

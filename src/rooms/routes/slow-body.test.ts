import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { type ClientRequest, request } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import type { Cleanup } from '../../testing/processes.ts';
import { openListeningRooms } from '../testing/listening.ts';

const ADMIN = 'the-secret-of-the-admin';
const admin = { headers: { authorization: `Bearer ${ADMIN}` } };

async function open(t: Cleanup) {
  const rooms = await openListeningRooms(t, { options: { auth: 'token', adminToken: ADMIN } });
  await rooms.send('POST', '/api/user', { ...admin, body: { id: 'ana' } });
  await rooms.send('POST', '/api/room', { ...admin, body: { name: 'Ops', members: ['ana'] } });
  const { json } = await rooms.send('POST', '/api/token', { ...admin, body: { name: 'lost', userId: 'ana' } });
  const begin = (path: string, type: string): { sent: ClientRequest; status: Promise<number | undefined> } => {
    const headers = { authorization: `Bearer ${json.secret}`, 'content-type': type };
    const sent = request(`${rooms.url}${path}`, { method: 'POST', headers });
    const status = new Promise<number | undefined>((resolve, reject) => {
      sent.on('error', reject).on('response', (answer) => resolve(answer.resume().statusCode));
    });
    return { sent, status };
  };
  const revoke = async () =>
    assert.equal((await rooms.send('DELETE', `/api/token/${json.token.id}`, admin)).status, 200);
  return { rooms, begin, revoke };
}

test('a message is not posted if its token is revoked during its body', async (t) => {
  const { rooms, begin, revoke } = await open(t);
  const { sent, status } = begin('/api/room/ops/message', 'application/json');
  sent.write('{"body":');
  await eventually('the request is authenticated', async () => {
    const { tokens } = (await rooms.send('GET', '/api/token?user=ana', admin)).json;
    return tokens[0].lastUsedAt !== null;
  });
  await revoke();
  sent.end('"late"}');
  assert.equal(await status, 401);
  assert.deepEqual((await rooms.send('GET', '/api/room/ops/message', admin)).json.messages, []);
});

test('an upload is refused if its token is revoked during it, and leaves nothing', async (t) => {
  const { rooms, begin, revoke } = await open(t);
  const filesIn = (folder: string) => readdirSync(join(rooms.folder, 'files', folder));
  const { sent, status } = begin('/api/file', 'application/octet-stream');
  sent.write('begun');
  await eventually('the upload begins', () => {
    try {
      return filesIn('incoming').length === 1;
    } catch {
      return false;
    }
  });
  await revoke();
  sent.end('late');
  assert.equal(await status, 401);
  assert.deepEqual([filesIn('.'), filesIn('incoming')], [['incoming'], []]);
});

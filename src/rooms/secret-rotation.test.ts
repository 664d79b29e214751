import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../testing/eventually.ts';
import { FakeClock } from '../testing/fake/clock.ts';
import { startHttpSink } from '../testing/http/sink.ts';
import { signWebhook } from './domain/hook/webhook-signature.ts';
import { openTestRooms } from './testing/app.ts';

const WARNING = /level=WARN msg="stored secrets cannot be decrypted[^"]*" count=1 secrets="hook Robot \(room ops\)"\n/;

test('under another secret key nothing is sent unsigned, the log has the reason, and a new secret repairs it', async (t) => {
  const clock = new FakeClock('2030-01-02T08:00:00Z');
  const sink = await startHttpSink(t, () => ({}));
  const before = await openTestRooms(t, { clock, options: { secretKey: 'the key of before' } });
  await before.send('POST', '/api/room', { as: 'ana', body: { name: 'Ops' } });
  const body = { direction: 'outgoing', roomId: 'ops', name: 'Robot', url: sink.url, allowPrivate: true };
  const hook = (await before.send('POST', '/api/hook', { as: 'ana', body })).json;

  const rooms = await before.restart({ secretKey: 'another key' });
  assert.match(rooms.log(), WARNING);
  assert.ok(!rooms.log().includes('another key'));
  const path = `/api/hook/${hook.id}`;
  await rooms.send('POST', '/api/room/ops/message', { as: 'ana', body: { body: 'one' } });
  const shown = await eventually('the hook says why it is silent', async () => {
    const { json } = await rooms.send('GET', path, { as: 'ana' });
    return json.lastError === 'its signing secret cannot be decrypted; rotate it' && json;
  });
  const answer = await rooms.send('PUT', path, { as: 'ana', body: { ...shown, rotateSecret: true } });
  assert.equal(answer.status, 200, answer.text);
  const rotated = answer.json;
  const [first] = await sink.received(1);
  assert.match(first?.body ?? '', /"one"/);
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = first?.headers ?? {};
  assert.equal(signature, signWebhook(rotated.secret, String(id), Number(at), first?.body ?? ''));

  const again = await rooms.restart({ secretKey: 'another key' });
  assert.doesNotMatch(again.log(), WARNING);
  assert.match((await again.restart({ secretKey: 'the key of before' })).log(), WARNING);
});

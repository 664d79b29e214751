import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { systemClock } from '../../kernel/clock.ts';
import { eventually } from '../../testing/eventually.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { type SinkRequest, startHttpSink } from '../../testing/http/sink.ts';
import { openTestRooms } from '../testing/app.ts';

/** What the receiver with a secret reads in a delivery; throws if it must not trust it. */
const verify = (secret: string, { headers, body }: SinkRequest) =>
  new Webhook(secret).verify(body, headers as Record<string, string>);

test('standardwebhooks verifies deliveries, also at a retry and with both secrets after a rotation', async (t) => {
  // The verifier compares times with the machine's.
  const clock = new FakeClock(systemClock.now());
  const rooms = await openTestRooms(t, { clock });
  const sink = await startHttpSink(t, (_, index) => ({ status: index === 0 ? 500 : 200 }));
  await rooms.send('POST', '/api/room', { as: 'ana', body: { name: 'Ops' } });
  const body = { direction: 'outgoing', roomId: 'ops', name: 'Robot', url: sink.url, allowPrivate: true };
  const hook = (await rooms.send('POST', '/api/hook', { as: 'ana', body })).json;
  const path = `/api/hook/${hook.id}`;
  const say = (words: string) => rooms.send('POST', '/api/room/ops/message', { as: 'ana', body: { body: words } });

  await say('Grüße');
  await eventually('the failure', async () => (await rooms.send('GET', path, { as: 'ana' })).json.failures === 1);
  clock.advance(5_600);
  const [first, second] = await sink.received(2);
  assert.ok(first && second);
  assert.notEqual(first.headers['webhook-timestamp'], second.headers['webhook-timestamp']);
  for (const request of [first, second]) {
    const read = verify(hook.secret, request) as { type: string; data: { message: { body: string } } };
    assert.deepEqual([read.type, read.data.message.body], ['message.created', 'Grüße']);
    assert.throws(() => verify(hook.secret, { ...request, body: request.body.replace('Grüße', 'Gruß') }), /signature/);
  }

  const rotate = async () =>
    String((await rooms.send('PUT', path, { as: 'ana', body: { ...body, rotateSecret: true } })).json.secret);
  const secrets = [hook.secret, await rotate()];
  await say('two');
  const third = (await sink.received(3)).at(-1);
  assert.ok(third);
  for (const secret of secrets) verify(secret, third);
  const newest = await rotate();
  await say('three');
  const fourth = (await sink.received(4)).at(-1);
  assert.ok(fourth);
  for (const secret of [secrets[1], newest]) verify(secret, fourth);
  assert.throws(() => verify(secrets[0], fourth), /signature/, 'a second rotation ends the first secret');
});

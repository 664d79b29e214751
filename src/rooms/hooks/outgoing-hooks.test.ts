import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { type HttpSink, type SinkAnswer, type SinkRequest, startHttpSink } from '../../testing/http/sink.ts';
import { signWebhook } from '../domain/hook/webhook-signature.ts';
import { openTestRooms, type TestRooms } from '../testing/app.ts';

type Test = Parameters<typeof startHttpSink>[0] & { after(action: () => unknown): void };

interface Fixture {
  readonly rooms: TestRooms;
  readonly sink: HttpSink;
  readonly hook: { readonly id: string; readonly secret: string };
  readonly clock: FakeClock;
  say(body: string): Promise<void>;
}

async function openHook(
  t: Test,
  answer: (request: SinkRequest, index: number) => SinkAnswer = () => ({}),
  fields: object = {},
): Promise<Fixture> {
  const clock = new FakeClock('2030-01-02T08:00:00Z');
  const rooms = await openTestRooms(t, { clock });
  const sink = await startHttpSink(t, answer);
  await rooms.send('POST', '/api/room', { as: 'ana', body: { name: 'Ops' } });
  const body = {
    direction: 'outgoing',
    roomId: 'ops',
    name: 'Robot',
    url: `${sink.url}/in?key=k`,
    allowPrivate: true,
    ...fields,
  };
  const made = await rooms.send('POST', '/api/hook', { as: 'ana', body });
  assert.equal(made.status, 201, made.text);
  const say = async (words: string) => {
    const posted = await rooms.send('POST', '/api/room/ops/message', { as: 'ana', body: { body: words } });
    assert.equal(posted.status, 201, posted.text);
  };
  return { rooms, sink, hook: made.json, clock, say };
}

const seen = (check: () => Promise<void>) =>
  eventually('the hook comes so far', async () => {
    await check();
    return true;
  });
const wordsOf = ({ json }: SinkRequest) => (json as { data: { message: { body: string } } }).data.message.body;
const statusOf = async ({ rooms, hook }: Fixture) =>
  (await rooms.send('GET', `/api/hook/${hook.id}`, { as: 'ana' })).json;

/** As the receiver computes it with each of these secrets. */
const signatureOf = ({ headers, body }: SinkRequest, ...secrets: readonly string[]): string =>
  secrets
    .map((secret) => signWebhook(secret, String(headers['webhook-id']), Number(headers['webhook-timestamp']), body))
    .join(' ');

test('events are sent in order, signed so that their receiver can verify them', async (t) => {
  const hooked = await openHook(t);
  for (let i = 0; i < 20; i++) await hooked.say(`message ${i}`);
  const requests = await hooked.sink.received(20);
  assert.deepEqual(
    requests.map(wordsOf),
    Array.from({ length: 20 }, (_, i) => `message ${i}`),
  );
  for (const request of requests) {
    assert.equal(request.headers['webhook-signature'], signatureOf(request, hooked.hook.secret));
    assert.equal((request.json as { type: string }).type, 'message.created');
  }
  assert.equal(new Set(requests.map(({ headers }) => headers['webhook-id'])).size, 20);
});

test('a hook sends only its chosen events, and none from before it', async (t) => {
  const hooked = await openHook(t, () => ({}), { events: ['reaction.*'] });
  await hooked.say('not sent');
  const [message] = (await hooked.rooms.send('GET', '/api/room/ops/message', { as: 'ana' })).json.messages;
  await hooked.rooms.send('PUT', `/api/message/${message.id}/reaction/${encodeURIComponent('👀')}`, { as: 'ana' });
  const [request] = await hooked.sink.received(1);
  assert.deepEqual(
    [request].map((one) => (one?.json as { type: string } | undefined)?.type),
    ['reaction.added'],
  );
});

test('a receiver that fails is tried again later, and nothing overtakes', async (t) => {
  const hooked = await openHook(t, (_, index) => ({ status: index < 2 ? 500 : 200 }));
  await hooked.say('one');
  await hooked.say('two');
  await hooked.sink.received(1);
  await seen(async () => assert.equal((await statusOf(hooked)).failures, 1));
  hooked.clock.advance(5_600);
  await hooked.sink.received(2);
  await seen(async () => assert.equal((await statusOf(hooked)).lastStatus, 500));
  await seen(async () => assert.equal((await statusOf(hooked)).failures, 2));
  hooked.clock.advance(34_000);
  const requests = await hooked.sink.received(4);
  assert.deepEqual(requests.map(wordsOf), ['one', 'one', 'one', 'two']);
  assert.equal(requests[0]?.headers['webhook-id'], requests[2]?.headers['webhook-id']);
});

test('a retry has the same id and body, and a time and signature of its own', async (t) => {
  const events = ['message.*', 'reaction.*'];
  const hooked = await openHook(t, (_, index) => ({ status: index % 2 === 0 ? 500 : 200 }), { events });
  await hooked.say('one');
  const [message] = (await hooked.rooms.send('GET', '/api/room/ops/message', { as: 'ana' })).json.messages;
  const retry = async (count: number) => {
    await hooked.sink.received(count);
    await seen(async () => assert.equal((await statusOf(hooked)).failures, 1));
    hooked.clock.advance(5_600);
    return (await hooked.sink.received(count + 1)).slice(count - 1);
  };
  const deliveries = [await retry(1)];
  await seen(async () => assert.equal((await statusOf(hooked)).lastStatus, 200));
  await hooked.rooms.send('PUT', `/api/message/${message.id}/reaction/${encodeURIComponent('👀')}`, { as: 'ana' });
  deliveries.push(await retry(3));
  for (const [first, second] of deliveries) {
    assert.ok(first && second);
    assert.equal(first.headers['webhook-id'], second.headers['webhook-id']);
    assert.equal(first.body, second.body);
    assert.ok(Number(second.headers['webhook-timestamp']) >= Number(first.headers['webhook-timestamp']) + 5);
    assert.deepEqual(second.headers['webhook-signature'], signatureOf(second, hooked.hook.secret));
  }
  assert.deepEqual(
    deliveries[0]?.map(({ json }) => (json as { timestamp: string }).timestamp),
    [message.createdAt, message.createdAt],
  );
});

test('for a day after a rotation deliveries are signed with both secrets', async (t) => {
  const hooked = await openHook(t);
  const rotate = async () => {
    const body = { name: 'Robot', allowPrivate: true, rotateSecret: true };
    const rotated = await hooked.rooms.send('PUT', `/api/hook/${hooked.hook.id}`, { as: 'ana', body });
    return String(rotated.json.secret);
  };
  const signed = async (count: number) => {
    await hooked.say('one');
    const last = (await hooked.sink.received(count)).at(-1);
    assert.ok(last);
    await seen(async () => assert.equal((await statusOf(hooked)).cursor, hooked.rooms.core.writer.pos));
    return { last, signature: last.headers['webhook-signature'] };
  };
  const second = await rotate();
  const during = await signed(1);
  assert.equal(during.signature, signatureOf(during.last, second, hooked.hook.secret));
  const third = await rotate();
  const twice = await signed(2);
  assert.equal(twice.signature, signatureOf(twice.last, third, second));
  hooked.clock.advance(24 * 3_600_000);
  const after = await signed(3);
  assert.equal(after.signature, signatureOf(after.last, third));
});

test('a receiver that hangs is given up after 10 s and tried again', async (t) => {
  const hooked = await openHook(t, (_, index) => (index === 0 ? 'hang' : {}));
  await hooked.say('one');
  await hooked.sink.received(1);
  hooked.clock.advance(10_001);
  await seen(async () => assert.match((await statusOf(hooked)).lastError, /no answer within 10 s/));
  hooked.clock.advance(6_000);
  assert.equal((await hooked.sink.received(2)).length, 2);
});

test('a receiver that is gone for good receives no more requests, and the room is notified', async (t) => {
  const hooked = await openHook(t, () => ({ status: 410 }));
  await hooked.say('one');
  await seen(async () => assert.equal((await statusOf(hooked)).enabled, false));
  await seen(async () => {
    const { messages } = (await hooked.rooms.send('GET', '/api/room/ops/message', { as: 'ana' })).json;
    assert.match(messages.at(-1).body, /Robot.*paused/);
  });
});

test('the position of a hook survives a restart', async (t) => {
  const hooked = await openHook(t);
  await hooked.say('one');
  await hooked.sink.received(1);
  await seen(async () => assert.equal((await statusOf(hooked)).lastStatus, 200));
  const again = await hooked.rooms.restart();
  await again.send('POST', '/api/room/ops/message', { as: 'ana', body: { body: 'two' } });
  assert.deepEqual((await hooked.sink.received(2)).map(wordsOf), ['one', 'two']);
});

test('events are redelivered from a position on', async (t) => {
  const hooked = await openHook(t);
  await hooked.say('one');
  await hooked.say('two');
  const [first] = await hooked.sink.received(2);
  const pos = String(first?.headers['webhook-id']).split('-').at(-1);
  assert.equal(
    (await hooked.rooms.send('POST', `/api/hook/${hooked.hook.id}/redeliver?from=${pos}`, { as: 'ana' })).status,
    202,
  );
  assert.deepEqual((await hooked.sink.received(4)).map(wordsOf), ['one', 'two', 'one', 'two']);
});

test('no redelivery starts at a future position', async (t) => {
  const hooked = await openHook(t);
  const from = hooked.rooms.core.writer.pos + 1;
  const refused = await hooked.rooms.send('POST', `/api/hook/${hooked.hook.id}/redeliver?from=${from}`, { as: 'ana' });
  assert.equal(refused.status, 400);
  await hooked.say('one');
  assert.deepEqual((await hooked.sink.received(1)).map(wordsOf), ['one']);
});

test('an event accepted by the status of its receiver is not sent again, whatever the rest of the answer', async (t) => {
  const hooked = await openHook(t, () => ({ body: '{"text":"cu', isCut: true }));
  await hooked.say('one');
  await hooked.say('two');
  await hooked.sink.received(2);
  await seen(async () => assert.equal((await statusOf(hooked)).cursor, hooked.rooms.core.writer.pos));
  const { failures, lastStatus, lastError } = await statusOf(hooked);
  assert.deepEqual([failures, lastStatus, lastError], [0, 200, null]);
  assert.deepEqual(hooked.sink.requests.map(wordsOf), ['one', 'two']);
});

test('a hook that is enabled again has a day again', async (t) => {
  const hooked = await openHook(t, (_, index) => ({ status: index === 0 ? 410 : 500 }));
  await hooked.say('one');
  await seen(async () => assert.equal((await statusOf(hooked)).enabled, false));
  hooked.clock.advance(25 * 3_600_000);
  const body = { name: 'Robot', allowPrivate: true, enabled: true };
  assert.equal((await hooked.rooms.send('PUT', `/api/hook/${hooked.hook.id}`, { as: 'ana', body })).status, 200);
  await hooked.sink.received(2);
  await seen(async () => assert.equal((await statusOf(hooked)).lastStatus, 500));
  const { enabled, failures } = await statusOf(hooked);
  assert.deepEqual([enabled, failures], [true, 1]);
});

test("the words of a receiver's answer are posted, and are not sent back to it", async (t) => {
  const hooked = await openHook(t, () => ({ body: '{"text":"noted"}' }));
  await hooked.say('one');
  await seen(async () => {
    const { messages } = (await hooked.rooms.send('GET', '/api/room/ops/message', { as: 'ana' })).json;
    assert.deepEqual(
      messages.map(({ body }: { body: string }) => body),
      ['one', 'noted'],
    );
  });
  await hooked.say('two');
  assert.deepEqual((await hooked.sink.received(2)).map(wordsOf), ['one', 'two']);
});

test('addresses of this machine are refused unless an admin allows them, and named without their secrets', async (t) => {
  const rooms = await openTestRooms(t);
  await rooms.send('POST', '/api/room', { as: 'ana', body: { name: 'Ops' } });
  for (const url of [
    'http://127.0.0.1:9/',
    'http://169.254.169.254/',
    'http://[::ffff:a9fe:a9fe]/',
    'ftp://example.com/',
    'https://u:hunter2@example.com/',
  ]) {
    const body = { direction: 'outgoing', roomId: 'ops', name: 'x', url };
    const refused = await rooms.send('POST', '/api/hook', { as: 'ana', body });
    assert.equal(refused.status, 400, url);
    assert.match(refused.text, /^"url: /);
    assert.doesNotMatch(refused.text, /hunter2/);
  }
});

test('the signing secret is neither shown again, nor sent in an event', async (t) => {
  const hooked = await openHook(t);
  const secret = hooked.hook.secret.slice('whsec_'.length);
  const shown = await hooked.rooms.send('GET', '/api/hook', { as: 'ana' });
  const log = await hooked.rooms.send('GET', '/api/event/log?since=0', { as: 'ana' });
  assert.match(shown.text, /Robot/);
  for (const text of [shown.text, log.text, hooked.rooms.log()]) assert.ok(!text.includes(secret));
});

test("a message is not hidden from a hook by the hook's name in it", async (t) => {
  const hooked = await openHook(t);
  const author = { id: `hook:${hooked.hook.id}`, name: 'x', kind: 'bridge' };
  const hidden: readonly object[] = [
    { body: 'one', type: 'alert', card: { author } },
    { body: 'two', type: 'alert', card: { message: { author } } },
    { body: `three ${JSON.stringify({ author })}` },
  ];
  for (const body of hidden) {
    const posted = await hooked.rooms.send('POST', '/api/room/ops/message', { as: 'mallory', body });
    assert.equal(posted.status, 201, posted.text);
  }
  await hooked.say('four');
  const requests = await hooked.sink.received(4);
  assert.deepEqual(
    requests.map((request) => wordsOf(request).slice(0, 3)),
    ['one', 'two', 'thr', 'fou'],
  );
});

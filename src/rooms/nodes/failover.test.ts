import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../../kernel/clock.ts';
import { listen } from '../../kernel/http/server.ts';
import { eventually } from '../../testing/eventually.ts';
import { openSse, type SseStream } from '../../testing/http/sse-client.ts';
import { needsPostgres, startPostgres, startStandby } from '../../testing/postgres.ts';
import { openTestRooms } from '../testing/app.ts';
import { openTcpProxy } from '../testing/tcp-proxy.ts';

async function openNode(t: TestContext, storageUrl: string) {
  const { rooms, send } = await openTestRooms(t, { options: { storageUrl } });
  const addresses = [{ host: '127.0.0.1', port: 0 }];
  const listener = await listen({
    fetch: rooms.app.fetch,
    addresses,
    clock: systemClock,
    endStreams: rooms.endStreams,
  });
  t.after(() => listener.close(0));
  const stream = async (cursor?: string) => {
    const headers = cursor === undefined ? {} : { 'last-event-id': cursor };
    const opened = await openSse(`${listener.url}/api/event`, { headers });
    t.after(() => opened.close());
    return opened;
  };
  const bodies = async () => {
    const { status, json } = await send('GET', '/api/room/ops/message');
    return status === 200 ? json.messages.map((message: { body: string }) => message.body) : [];
  };
  const post = (body: string) => send('POST', '/api/room/ops/message', { body: { body, id: `id-of-${body}` } });
  return { send, stream, bodies, post };
}

/** The first event of a type. */
async function next(stream: SseStream, type: string) {
  for await (const { event, data, id } of stream) if (event === type) return { id, data: JSON.parse(data) };
  assert.fail(`the stream ended without ${type}`);
}

test('after a failover to a standby that lacks the last commit, clients start again, and no cursor of before goes on', async (t) => {
  if (!needsPostgres(t)) return;
  const primary = await startPostgres(t);
  const standby = await startStandby(t, primary);
  const address = await openTcpProxy(t);
  address.forwardTo(primary.url);
  const url = primary.url.replace(String(primary.port), new URL(address.url).port);
  const [a, b] = [await openNode(t, url), await openNode(t, url)];
  assert.equal((await a.send('POST', '/api/room', { body: { name: 'Ops' } })).status, 201);
  const live = [await a.stream(), await b.stream()];
  for (const one of live) await next(one, 'hello');
  assert.equal((await a.post('kept')).status, 201);
  await standby.catchUp();
  await standby.detach();
  assert.equal((await b.post('missing')).status, 201);
  const cursors: string[] = [];
  for (const one of live) {
    assert.equal((await next(one, 'message.created')).data.message.body, 'kept');
    const { id, data } = await next(one, 'message.created');
    assert.equal(data.message.body, 'missing');
    cursors.push(id);
  }
  assert.equal(cursors[0], cursors[1]);

  address.forwardTo(undefined);
  await primary.kill();
  await standby.promote();
  address.forwardTo(standby.url);
  for (const node of [a, b])
    await eventually('the history of the standby', async () => (await node.bodies()).join() === 'kept');
  const posted = await eventually('a post', async () => {
    const answer = await a.post('new');
    return answer.status === 201 && answer;
  });
  assert.equal(posted.json.seq, 2);
  for (const one of live) assert.equal(await one.over, 'ended');
  for (const one of live) assert.doesNotMatch(one.text(), /"body":"new"/);
  for (const node of [a, b]) {
    const resumed = await node.stream(cursors[0]);
    assert.equal((await next(resumed, 'reset')).data.reason, 'epoch');
    assert.deepEqual(await node.bodies(), ['kept', 'new']);
  }
  // Its sender may repeat it.
  assert.equal((await b.post('missing')).status, 201);
  assert.deepEqual(await a.bodies(), ['kept', 'new', 'missing']);
  for (const node of [a, b])
    assert.match((await node.send('GET', '/metrics')).text, /^opsdeck_rooms_log_violations_total 0$/m);
});

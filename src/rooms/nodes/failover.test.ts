import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { needsPostgres, startPostgres, startStandby } from '../../testing/postgres.ts';
import { nextEvent, openEventStream } from '../testing/event-stream.ts';
import { openListeningRooms } from '../testing/listening.ts';
import { openTcpProxy } from '../testing/tcp-proxy.ts';

async function openNode(t: TestContext, storageUrl: string) {
  const { url, send } = await openListeningRooms(t, { options: { storageUrl } });
  const stream = (cursor?: string) => openEventStream(t, url, cursor);
  const bodies = async () => {
    const { status, json } = await send('GET', '/api/room/ops/message');
    return status === 200 ? json.messages.map((message: { body: string }) => message.body) : [];
  };
  const post = (body: string) => send('POST', '/api/room/ops/message', { body: { body, id: `id-of-${body}` } });
  return { send, stream, bodies, post };
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
  for (const one of live) await nextEvent(one, 'hello');
  assert.equal((await a.post('kept')).status, 201);
  await standby.catchUp();
  await standby.detach();
  assert.equal((await b.post('missing')).status, 201);
  const cursors: string[] = [];
  for (const one of live) {
    assert.equal((await nextEvent(one, 'message.created')).data.message.body, 'kept');
    const { id, data } = await nextEvent(one, 'message.created');
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
    assert.equal((await nextEvent(resumed, 'reset')).data.reason, 'epoch');
    assert.deepEqual(await node.bodies(), ['kept', 'new']);
  }
  // Its sender may repeat it.
  assert.equal((await b.post('missing')).status, 201);
  assert.deepEqual(await a.bodies(), ['kept', 'new', 'missing']);
  for (const node of [a, b])
    assert.match((await node.send('GET', '/metrics')).text, /^opsdeck_rooms_log_violations_total 0$/m);
});

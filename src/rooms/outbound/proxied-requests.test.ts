import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { startHttpSink } from '../../testing/http/sink.ts';
import type { Cleanup } from '../../testing/processes.ts';
import { openTestRooms } from '../testing/app.ts';

/** The environment of the whole process, as behind a company's proxy. */
function setProxy(t: Cleanup, url: string): void {
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY']) {
    const before = process.env[name];
    process.env[name] = url;
    t.after(() => {
      if (before === undefined) delete process.env[name];
      else process.env[name] = before;
    });
  }
}

test('an outgoing hook is not handed unresolved to a proxy of the environment', async (t) => {
  const proxy = await startHttpSink(t, () => ({ body: 'from inside the network' }));
  setProxy(t, proxy.url);
  const rooms = await openTestRooms(t);
  await rooms.send('POST', '/api/room', { as: 'ana', body: { name: 'Ops' } });
  const body = { direction: 'outgoing', roomId: 'ops', name: 'Robot', url: 'http://intranet.invalid/' };
  const made = await rooms.send('POST', '/api/hook', { as: 'ana', body });
  assert.equal(made.status, 201, made.text);
  await rooms.send('POST', '/api/room/ops/message', { as: 'ana', body: { body: 'hello' } });
  const status = await eventually('the hook was tried', async () => {
    const { json } = await rooms.send('GET', `/api/hook/${made.json.id}`, { as: 'ana' });
    return json.lastStatus !== null || json.lastError !== null ? json : undefined;
  });
  assert.deepEqual([proxy.requests.length, status.lastStatus], [0, null]);
});

test('a copilot is not called through a proxy of the environment', async (t) => {
  const proxy = await startHttpSink(t);
  setProxy(t, proxy.url);
  const rooms = await openTestRooms(t);
  await rooms.send('POST', '/api/room', { as: 'ana', body: { name: 'Ops' } });
  const copilot = { enabled: true, provider: 'openai', baseUrl: 'http://intranet.invalid/v1', model: 'm' };
  const set = await rooms.send('PUT', '/api/room/ops/copilot', { as: 'ana', body: copilot });
  assert.equal(set.status, 200, set.text);
  const tested = await rooms.send('POST', '/api/room/ops/copilot/test', { as: 'ana', body: {} });
  assert.match(tested.text, /cannot be reached/);
  assert.equal(proxy.requests.length, 0);
});

test("an outgoing hook uses the outbound proxy, and the proxy's password is shown nowhere", async (t) => {
  const proxy = await startHttpSink(t, (_, index) => ({ status: index === 0 ? 200 : 500 }));
  const rooms = await openTestRooms(t, { options: { outboundProxy: proxy.url.replace('//', '//user:hunter2@') } });
  await rooms.send('POST', '/api/room', { as: 'ana', body: { name: 'Ops' } });
  const body = { direction: 'outgoing', roomId: 'ops', name: 'Robot', url: 'http://93.184.215.14/in' };
  const made = await rooms.send('POST', '/api/hook', { as: 'ana', body });
  for (const words of ['one', 'two'])
    await rooms.send('POST', '/api/room/ops/message', { as: 'ana', body: { body: words } });
  const status = await eventually('the second failed', async () => {
    const shown = await rooms.send('GET', `/api/hook/${made.json.id}`, { as: 'ana' });
    return shown.json.lastError !== null && shown;
  });
  const [request] = proxy.requests;
  assert.equal(request?.path, 'http://93.184.215.14/in');
  assert.equal(request?.headers['proxy-authorization'], `Basic ${btoa('user:hunter2')}`);
  const server = await rooms.send('GET', '/api/status');
  assert.doesNotMatch(`${rooms.log()} ${status.text} ${server.text}`, /hunter2|dXNlcjpodW50ZXIy/);
});

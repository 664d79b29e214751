import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PlainClient } from '../../testing/http/client.ts';
import { executablePath, runProcess, startOpsdeck } from '../../testing/processes.ts';

// Requests from pages of other sites to the built server.

const EVIL = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' };

test('by default the server is as open as Alertmanager: pages of any origin read, and any Host is answered', async (t) => {
  const client = new PlainClient(t, (await startOpsdeck(t)).url);
  const read = await client.send({ method: 'GET', path: '/api/v2/alerts', headers: { ...EVIL, Host: 'evil.example' } });
  assert.deepEqual([read.status, read.headers['access-control-allow-origin']], [200, '*']);
  assert.equal((await client.send({ method: 'POST', path: '/-/reload', headers: EVIL })).status, 200);
});

test('with --web.allowed-host other host names and pages of other sites are refused', async (t) => {
  const flags = ['--web.allowed-host', 'alerts.example.org', '--web.cors-origin', 'https://grafana.example.org'];
  const client = new PlainClient(t, (await startOpsdeck(t, flags)).url);
  const ask = (method: string, path: string, headers: Readonly<Record<string, string>>) =>
    client.send({ method, path, headers });
  for (const path of ['/', '/api/v2/alerts', '/status', '/metrics', '/-/healthy']) {
    const { status, body } = await ask('GET', path, { Host: 'evil.example' });
    assert.equal(status, 403, path);
    assert.match(body, /--web\.allowed-host/);
    assert.equal((await ask('GET', path, { Host: 'alerts.example.org:9093' })).status, 200, path);
  }
  assert.equal((await ask('POST', '/-/reload', EVIL)).status, 403);
  assert.equal((await ask('GET', '/api/v2/alerts', EVIL)).headers['access-control-allow-origin'], undefined);
  const grafana = { Origin: 'https://grafana.example.org', 'Sec-Fetch-Site': 'cross-site' };
  const read = await ask('GET', '/api/v2/alerts', grafana);
  assert.equal(read.headers['access-control-allow-origin'], grafana.Origin);
  assert.equal((await ask('POST', '/-/reload', grafana)).status, 200);
});

test('a name with a port is refused where names are expected', async () => {
  const args = [executablePath(), 'alerts', 'serve', '--web.allowed-host', 'alerts.example.org:9093'];
  const { code, stderr } = await runProcess(process.execPath, args);
  assert.notEqual(code, 0);
  assert.match(stderr, /without a port/);
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventually } from '../testing/eventually.ts';
import { configFile, startOpsdeck } from '../testing/processes.ts';
import { startEveryServer } from './testing/every-server.ts';

/** Recognisable in any output: as it is, in base64, or with escapes. */
const secret = (name: string) => `PLANTED${name}7f3a`;
const SECRETS = [
  'Password',
  'Path',
  'Query',
  'Bearer',
  'Smtp',
  'Slack',
  'Pager',
  'Header',
  'Hook',
  'Provider',
  'Session',
  'Admin',
  'Context',
  'Wrong',
  'Message',
];

/** The outputs without secrets; the beginning of a secret counts as one. */
function findSecrets(text: string): readonly string[] {
  const forms = (name: string) => {
    const plain = secret(name);
    // Behind a name as well, as Basic authentication sends it.
    const encoded = ['', 'alex:', 'alerts\0'].map((before) =>
      Buffer.from(before + plain)
        .toString('base64')
        .slice(0, 16),
    );
    return [plain, ...encoded, Buffer.from(plain).toString('hex')];
  };
  return SECRETS.filter((name) => forms(name).some((form) => text.includes(form)));
}

/** Receivers, each with a secret in its configuration. */
const configOf = (at: string) => `
global:
  smtp_smarthost: 127.0.0.1:1
  smtp_from: alerts@example.com
  smtp_auth_username: alerts
  smtp_auth_password: ${secret('Smtp')}
  smtp_require_tls: false
  slack_api_url: http://${at}/services/${secret('Slack')}
  resolve_timeout: 1m
route: {receiver: all, group_by: [alertname], group_wait: 1ms, group_interval: 1s, repeat_interval: 1h}
receivers:
  - name: all
    email_configs: [{to: a@example.com}]
    slack_configs: [{channel: '#a'}]
    pagerduty_configs: [{routing_key: ${secret('Pager')}, url: 'http://${at}/'}]
    webhook_configs:
      - url: http://alex:${secret('Password')}@${at}/${secret('Path')}?key=${secret('Query')}
      - url: http://${at}/
        http_config:
          authorization: {credentials: ${secret('Bearer')}}
          http_headers: {X-Key: {secrets: [${secret('Header')}]}}
`;

/** Refuses everything, and names the request in its answer. */
async function startMirror(t: TestContext): Promise<string> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () =>
      response.writeHead(400).end(`${request.url} ${request.rawHeaders.join(' ')} ${Buffer.concat(chunks)}`),
    );
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const get = async (url: string, headers: Record<string, string> = {}) => (await fetch(url, { headers })).text();

test('no log, answer, metric or error holds a secret, whatever fails', { timeout: 600_000 }, async (t) => {
  const mirror = await startMirror(t);
  const file = configFile(t, configOf(mirror));
  const { servers, rooms, sdkKey, urlOf } = await startEveryServer(t, {
    alerts: { configFile: file, logSilences: true },
    rooms: { auth: 'token', adminToken: secret('Admin') },
    dashboardVariables: { USAGE_UPSTREAM_URL: `http://${mirror}`, USAGE_SESSION_TOKEN_ANA: secret('Session') },
  });
  const seen: string[] = [];
  const [alerts, relay, dashboard, rooms_] = [urlOf('alerts'), urlOf('relay'), urlOf('dashboard'), urlOf('rooms')];

  const json = { 'content-type': 'application/json' };
  await fetch(`${alerts}/api/v2/alerts`, { method: 'POST', headers: json, body: '[{"labels":{"alertname":"a"}}]' });
  const receivers = ['slack', 'pagerduty', 'webhook'];
  await eventually('notifications have failed', async () => {
    const text = await get(`${alerts}/api/v2/notifications`);
    return receivers.every((name) => text.includes(name)) && /level=(WARN|ERROR)/.test(servers[0]?.log() ?? '');
  });
  for (const path of [
    '/api/v2/status',
    '/api/v2/receivers',
    '/api/v2/notifications',
    '/api/v2/conditions',
    '/api/v2/integrations',
    '/api/v2/server',
    '/api/v2/routes',
    '/api/v2/explain?label=alertname%3Da',
    '/-/ready',
    '/deck.json',
    '/metrics',
  ])
    seen.push(await get(`${alerts}${path}`));
  await fetch(`${alerts}/-/reload`, { method: 'POST' });
  seen.push(
    await get(`${alerts}/api/v2/silences`, {
      authorization: `Basic ${Buffer.from(`a:${secret('Wrong')}`).toString('base64')}`,
    }),
  );

  const context = Buffer.from(`{"kind":"user","key":"${secret('Context')}"}`).toString('base64url');
  for (const path of [
    '/status',
    '/sdk/flags',
    `/sdk/evalx/contexts/${context}x`,
    `/sdk/evalx/${secret('Wrong')}/contexts/e30`,
    '/metrics',
  ])
    for (const authorization of [sdkKey, secret('Wrong'), `Bearer ${secret('Wrong')}`]) {
      const text = await get(`${relay}${path}`, { authorization });
      assert.ok(!path.includes('status') || !text.includes(sdkKey) || sdkKey === 'sdk-local', 'the status masks keys');
      seen.push(text);
    }
  for (const path of [
    '/health',
    '/api/users',
    '/api/summary?user=ana',
    '/api/events?user=ana',
    '/api/events?user=nobody',
    '/.env',
    '/api/markers',
    '/api/budget',
    '/deck.json',
  ])
    seen.push(await get(`${dashboard}${path}`, { cookie: `session=${secret('Session')}` }));

  const admin = { authorization: `Bearer ${secret('Admin')}` };
  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = admin) =>
    rooms.send(method, path, { headers, ...(body === undefined ? {} : { body }) });
  const made: string[] = [];
  const kept = async (path: string, body: unknown) => {
    const { json: answer, status, text } = await send('POST', path, body);
    assert.ok(status < 300, text);
    for (const key of ['secret', 'code']) if (typeof answer[key] === 'string') made.push(answer[key]);
    return answer;
  };
  await kept('/api/room', { name: 'Ops', visibility: 'private' });
  await kept('/api/message', { roomId: 'ops', body: `words ${secret('Message')}` });
  const hook = await kept('/api/hook', { direction: 'incoming', roomId: 'ops', name: 'in' });
  const outgoing = await kept('/api/hook', {
    direction: 'outgoing',
    roomId: 'ops',
    name: 'out',
    url: `http://${mirror}/${secret('Hook')}`,
    allowPrivate: true,
  });
  await kept('/api/token', { name: 't' });
  await kept('/api/room/ops/invite', {});
  await kept('/api/provider', {
    name: 'p',
    kind: 'openai',
    baseUrl: `http://${mirror}/v1`,
    model: 'm',
    apiKey: secret('Provider'),
    allowPrivate: true,
  });
  seen.push((await send('PUT', '/api/room/ops/copilot', { provider: 'p', instructions: 'x' })).text);
  seen.push((await send('POST', '/api/room/ops/copilot/test')).text);
  const signIn = await rooms.send('POST', '/api/session', { body: { token: secret('Admin') } });
  made.push(/=([^;]+)/.exec(signIn.headers.get('set-cookie') ?? '')?.[1] ?? '');
  await kept('/api/message', { roomId: 'ops', body: 'sent to the hook' });
  for (const [method, path, body, headers] of [
    ['POST', `/api/hook/${hook.id}/${secret('Wrong')}`, 'x'],
    ['POST', hook.path, '{"text":5}'],
    ['GET', `/api/invite/${secret('Wrong')}`],
    ['POST', '/api/session', { token: secret('Wrong') }],
    [
      'POST',
      '/api/provider',
      {
        name: 'q',
        kind: 'openai',
        baseUrl: `https://a:${secret('Password')}@example.com/`,
        apiKey: secret('Provider'),
      },
    ],
    ['POST', '/api/provider', { name: 'q', kind: 'none', apiKey: secret('Provider') }],
    ['GET', `/api/room?token=${secret('Wrong')}`],
    ['GET', '/api/room', undefined, { authorization: `Bearer ${secret('Wrong')}` }],
    ['GET', '/api/room', undefined, { cookie: `opsdeck_session=${secret('Wrong')}` }],
  ] as const)
    seen.push((await send(method, path, body, headers ?? admin)).text);
  for (const path of [
    '/api/hook',
    `/api/hook/${outgoing.id}`,
    '/api/token',
    '/api/provider',
    '/api/room/ops/copilot',
    '/api/audit',
    '/health',
    '/metrics',
    '/openapi.json',
    '/api/room/ops/export',
    '/api/event/log?since=0&wait=0&limit=500',
  ])
    seen.push((await send('GET', path)).text.replaceAll(secret('Message'), '').replaceAll(secret('Hook'), ''));
  seen.push(await get(`${rooms_}/`));

  for (const [index, text] of seen.entries()) {
    assert.deepEqual(findSecrets(text), [], `answer ${index}: ${text.slice(0, 300)}`);
    for (const one of made)
      assert.ok(
        one === '' || !text.includes(one) || text.includes(`"code":"${one}"`),
        `answer ${index} repeats ${one}`,
      );
  }
  for (const { name, log } of servers) {
    assert.deepEqual(findSecrets(log()), [], `the log of ${name}`);
    for (const one of made) assert.ok(!log().includes(one), `the log of ${name} has ${one.slice(0, 8)}…`);
  }
  assert.ok(made.filter((one) => one.length > 10).length >= 5, 'secrets were made');
});

test('the arguments and the environment of the server show no secret of its configuration', {
  timeout: 600_000,
}, async (t) => {
  const server = await startOpsdeck(t, [
    '--config.file',
    configFile(t, configOf('127.0.0.1:1')),
    '--log.level',
    'debug',
  ]);
  await fetch(`${server.url}/api/v2/alerts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '[{"labels":{"alertname":"a"}}]',
  });
  const shown = (pid: number) =>
    ['cmdline', 'comm', 'environ'].map((name) => readFileSync(join('/proc', String(pid), name), 'latin1')).join('\0');
  await eventually('a failure is logged', () => /level=(WARN|ERROR)/.test(server.stderr()));
  assert.deepEqual(findSecrets(shown(server.pid)), []);
  const status = await server.stop();
  assert.equal(status.code, 0);
  assert.deepEqual(findSecrets(server.stderr()), []);
});

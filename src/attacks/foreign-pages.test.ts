import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rawClient, startEveryServer } from './testing/every-server.ts';

/** The headers that a browser sends for a page of another site, and for a page that hides its origin. */
const FOREIGN: readonly (readonly string[])[] = [
  ['Origin: https://evil.example'],
  ['Origin: null'],
  ['Origin: http://127.0.0.1:1'],
  ['Origin: https://evil.example', 'Sec-Fetch-Site: same-origin'],
  ['Sec-Fetch-Site: cross-site'],
  ['Sec-Fetch-Site: same-site'],
  ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document'],
  ['Origin: '],
  ['Origin: https://evil.example', 'Origin: http://127.0.0.1'],
  ['Origin: file://'],
  ['Origin: chrome-extension://abc'],
];
/** Types that a page may send without a preflight, and one type that needs a preflight. */
const TYPES = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=b',
  'application/json',
  '',
];
const OVERRIDES = ['X-HTTP-Method-Override: DELETE', 'X-HTTP-Method: PUT', 'X-Method-Override: PATCH'];

const ADMIN = 'the-secret-of-the-admin';

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly fields: readonly string[];
  readonly body?: string;
}

function bytesOf({ method, path, fields, body = '' }: Sent): string {
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  return `${[`${method} ${path} HTTP/1.1`, ...fields, ...length].join('\r\n')}\r\n\r\n${body}`;
}

test('a page of another site does nothing with the cookie of a session', async (t) => {
  const { rooms, urlOf } = await startEveryServer(t, { rooms: { auth: 'token', adminToken: ADMIN } });
  const url = urlOf('rooms');
  const signIn = await rooms.send('POST', '/api/session', { body: { token: ADMIN } });
  assert.equal(signIn.status, 201, signIn.text);
  const cookie = signIn.headers.get('set-cookie') ?? '';
  assert.match(cookie, /; HttpOnly; SameSite=Lax/);
  const session = cookie.split(';')[0] ?? '';
  const own = { headers: { cookie: session } };
  const room = await rooms.send('POST', '/api/room', { ...own, body: { name: 'Ops' } });
  const message = await rooms.send('POST', '/api/room/ops/message', { ...own, body: { body: 'x' } });
  assert.equal(message.status, 201, message.text);
  const invite = await rooms.send('POST', '/api/room/ops/invite', { ...own, body: {} });
  const exchange = rawClient(t, url);
  const { pos } = rooms.core.writer;
  const sizes = () =>
    (['user', 'token', 'room', 'invite', 'hook', 'member'] as const).map((kind) => rooms.core.state.all(kind).size);
  const before = sizes();
  const targets: readonly (readonly [string, string, string])[] = [
    ['POST', '/api/room/ops/message', 'words'],
    ['POST', '/api/message', '{"roomId":"ops","body":"words"}'],
    ['POST', '/api/user', '{"id":"evil","role":"admin"}'],
    ['POST', '/api/token', '{"name":"evil"}'],
    ['POST', '/api/session', `{"token":"${ADMIN}"}`],
    ['DELETE', '/api/session', ''],
    ['POST', '/api/backup', ''],
    ['POST', '/api/import', '{}\n'],
    ['POST', '/api/file', 'bytes'],
    ['PUT', '/api/room/ops', '{"name":"Evil"}'],
    ['DELETE', `/api/room/${room.json.id}`, ''],
    ['DELETE', `/api/message/${message.json.id}`, ''],
    ['POST', '/api/room/ops/join', ''],
    ['POST', `/api/invite/${invite.json.code}`, ''],
    ['POST', '/api/event/ticket', ''],
    ['POST', '/api/room/ops/typing', ''],
  ];
  const wrong: string[] = [];
  for (const foreign of FOREIGN) {
    for (const [method, path, body] of targets) {
      for (const type of TYPES) {
        const fields = [
          'Host: 127.0.0.1',
          `Cookie: ${session}`,
          ...foreign,
          ...(type === '' ? [] : [`Content-Type: ${type}`]),
        ];
        const answer = await exchange(method, bytesOf({ method, path, fields, body }));
        if (answer?.status !== 403 && answer?.status !== 400)
          wrong.push(`${method} ${path} as ${type} with ${foreign.join()}: ${answer?.status}`);
        if (/access-control-allow/i.test(answer?.head ?? ''))
          wrong.push(`${method} ${path} lets ${foreign.join()} read`);
      }
    }
    // A GET may be followed from any page: it changes nothing, whatever its headers.
    for (const override of OVERRIDES)
      for (const path of [
        `/api/room/${room.json.id}`,
        `/api/message/${message.json.id}?_method=DELETE`,
        `/api/invite/${invite.json.code}`,
        '/api/event?since=0',
      ])
        await exchange(
          'GET',
          bytesOf({ method: 'GET', path, fields: ['Host: 127.0.0.1', `Cookie: ${session}`, ...foreign, override] }),
        );
  }
  assert.deepEqual(wrong, []);
  assert.equal(rooms.core.writer.pos, pos);
  assert.deepEqual(sizes(), before);
  assert.equal((await rooms.send('GET', '/api/session', own)).status, 200, 'and the session remains valid');
});

test('a page of another site, or a page under a rebound name, reaches nothing of the dashboard', async (t) => {
  const { urlOf } = await startEveryServer(t);
  const exchange = rawClient(t, urlOf('dashboard'));
  const markers = async () => await (await fetch(`${urlOf('dashboard')}/api/markers`)).text();
  const before = await markers();
  const document = '{"version":1,"markers":[]}';
  const wrong: string[] = [];
  for (const foreign of FOREIGN)
    for (const type of TYPES)
      for (const [method, path, body] of [
        ['PUT', '/api/markers', document],
        ['POST', '/api/events', '{"user":"x"}'],
        ['GET', '/api/markers', ''],
        ['GET', '/api/users', ''],
      ] as const) {
        const fields = ['Host: 127.0.0.1', ...foreign, ...(type === '' ? [] : [`Content-Type: ${type}`])];
        const answer = await exchange(method, bytesOf({ method, path, fields, body }));
        if (answer?.status !== 403 && answer?.status !== 400)
          wrong.push(`${method} ${path} as ${type} with ${foreign.join()}: ${answer?.status}`);
        if (/access-control-allow-origin/i.test(answer?.head ?? ''))
          wrong.push(`${method} ${path} lets ${foreign.join()} read`);
      }
  for (const host of [
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '169.254.169.254',
    'localhost@evil.example',
    '',
  ])
    for (const path of ['/', '/analytics', '/api/markers', '/data/usage.csv', '/health', '/nowhere']) {
      const answer = await exchange('GET', bytesOf({ method: 'GET', path, fields: [`Host: ${host}`] }));
      if (answer?.status !== 403 && answer?.status !== 400) wrong.push(`GET ${path} at ${host}: ${answer?.status}`);
    }
  assert.deepEqual(wrong, []);
  assert.equal(await markers(), before);
});

test('a page of another site reads only the public answers of relay and hub, and never with a cookie', async (t) => {
  const { servers, sdkKey } = await startEveryServer(t);
  for (const { name, url } of servers) {
    const exchange = rawClient(t, url);
    const paths: Readonly<Record<string, readonly string[]>> = {
      relay: [
        '/status',
        '/sdk/flags',
        '/sdk/latest-all',
        '/all',
        '/sdk/evalx/contexts/e30',
        '/metrics',
        '/api/flags',
        '/nowhere',
      ],
      hub: ['/', '/servers.json', '/-/healthy'],
      alerts: ['/api/v2/status', '/api/v2/alerts', '/api/v2/silences', '/metrics', '/'],
      dashboard: ['/health'],
      rooms: ['/api/room', '/health', '/metrics'],
    };
    for (const path of paths[name] ?? [])
      for (const method of ['GET', 'OPTIONS'])
        for (const origin of ['https://evil.example', 'null']) {
          if (path === '/all' && method === 'GET') continue;
          const fields = [
            'Host: 127.0.0.1',
            `Origin: ${origin}`,
            'Access-Control-Request-Method: DELETE',
            `Authorization: ${sdkKey}`,
          ];
          const head = (await exchange(method, bytesOf({ method, path, fields })))?.head ?? '';
          assert.doesNotMatch(head, /access-control-allow-credentials/i, `${name}: ${method} ${path}`);
          // By default Alertmanager allows every page to read and post; that stays, and nothing more.
          if (name !== 'alerts')
            assert.doesNotMatch(head, /access-control-allow-origin/i, `${name}: ${method} ${path}`);
          else assert.doesNotMatch(head, /access-control-allow-methods:[^\n]*DELETE/i, `${name}: ${method} ${path}`);
        }
  }
});

test('no form makes a silence or an alert: both are JSON, and JSON needs a preflight', async (t) => {
  const { urlOf } = await startEveryServer(t);
  const exchange = rawClient(t, urlOf('alerts'));
  const silence =
    '{"matchers":[{"name":"a","value":"b","isRegex":false}],"startsAt":"2030-01-01T00:00:00Z","endsAt":"2030-01-02T00:00:00Z","createdBy":"x","comment":"x"}';
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=b', ''])
    for (const [path, body] of [
      ['/api/v2/silences', silence],
      ['/api/v2/alerts', '[{"labels":{"alertname":"a"}}]'],
    ] as const) {
      const fields = [
        'Host: 127.0.0.1',
        'Origin: https://evil.example',
        ...(type === '' ? [] : [`Content-Type: ${type}`]),
      ];
      const answer = await exchange('POST', bytesOf({ method: 'POST', path, fields, body }));
      assert.ok([400, 415, 422].includes(answer?.status ?? 0), `${path} as ${type}: ${answer?.status}`);
    }
  assert.equal(await (await fetch(`${urlOf('alerts')}/api/v2/silences`)).text().then((text) => text.trim()), '[]');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PlainClient } from '../../testing/http/client.ts';
import type { Cleanup } from '../../testing/processes.ts';
import { systemClock } from '../clock.ts';
import { listen } from './server.ts';
import { isForeign, type SiteRules } from './site-address.ts';

const OWN = 'http://127.0.0.1:8075';
const RULES: SiteRules = {
  hosts: ['Alerts.Example.Org'],
  allowsOrigin: (origin) => origin === OWN,
  hostHint: 'name it',
};

async function start(t: Cleanup, rules: Partial<SiteRules> = {}) {
  const listener = await listen({
    fetch: () => new Response('in'),
    addresses: [{ host: '127.0.0.1', port: 0 }],
    clock: systemClock,
    site: { ...RULES, ...rules },
  });
  t.after(() => listener.close(0));
  const client = new PlainClient(t, listener.url);
  const ask = async (headers: Readonly<Record<string, string>>, method = 'GET') =>
    (await client.send({ method, path: '/', headers })).status;
  return { ask, client, host: new URL(listener.url).host };
}

test('a foreign name that resolves to this machine is refused with the remedy', async (t) => {
  const { ask, client } = await start(t);
  for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '192.168.1.5'])
    assert.equal(await ask({ Host: host }), 403, host);
  const { body } = await client.send({ method: 'GET', path: '/', headers: { Host: 'evil.example:9093' } });
  assert.equal(body, 'this server is not "evil.example:9093": name it\n');
  for (const host of [
    'localhost',
    'LOCALHOST:9093',
    '127.0.0.1:9093',
    '[::1]:9093',
    'alerts.example.org.',
    'x.localhost',
  ])
    assert.equal(await ask({ Host: host }), 200, host);
});

test('without configured names a server answers under any name', async (t) => {
  const { ask } = await start(t, { hosts: undefined });
  assert.equal(await ask({ Host: 'anything.example' }), 200);
});

const FOREIGN: readonly Readonly<Record<string, string>>[] = [
  { Origin: 'https://evil.example' },
  { Origin: 'null' },
  { Origin: 'http://127.0.0.1:1' },
  { Origin: 'nonsense' },
  { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' },
  { 'Sec-Fetch-Site': 'cross-site' },
  { 'Sec-Fetch-Site': 'same-site' },
];

test('a page of another site changes nothing, even by requests without a preflight', async (t) => {
  const { ask, host } = await start(t);
  for (const headers of FOREIGN) {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH'])
      assert.equal(await ask(headers, method), 403, `${method} ${JSON.stringify(headers)}`);
    for (const method of ['GET', 'HEAD', 'OPTIONS']) assert.equal(await ask(headers, method), 200, method);
  }
  const own = [
    {},
    { Origin: OWN, 'Sec-Fetch-Site': 'same-site' },
    { Origin: `http://${host}` },
    { 'Sec-Fetch-Site': 'none' },
  ];
  for (const headers of own as Record<string, string>[])
    assert.equal(await ask(headers, 'POST'), 200, JSON.stringify(headers));
});

test('where pages of any origin are allowed, only the name counts', async (t) => {
  const { ask } = await start(t, { allowsOrigin: undefined });
  assert.equal(await ask({ Origin: 'http://localhost:3000', 'Sec-Fetch-Site': 'same-site' }, 'POST'), 200);
  assert.equal(await ask({ Host: 'evil.example' }, 'POST'), 403);
});

test('a request of another site is foreign, one of this page or of no page is not', () => {
  const host = 'localhost:8060';
  const foreign = (origin: string | undefined, site?: string) => isForeign({ origin, host, site });
  for (const origin of ['https://evil.example', 'null', 'http://localhost:8061', 'http://127.0.0.1:8060', 'nonsense'])
    assert.ok(foreign(origin), origin);
  assert.ok(foreign(undefined, 'cross-site'));
  assert.ok(foreign(undefined, 'same-site'));
  assert.ok(!foreign('http://localhost:8060', 'same-origin'));
  assert.ok(!foreign('https://localhost:8060'));
  assert.ok(!foreign(undefined));
  assert.ok(!foreign(undefined, 'none'));
});

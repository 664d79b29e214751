import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linkOf } from '../shared/shell/deck.ts';
import { parseServers } from './server-list.ts';

const HUB = 'http://127.0.0.1:8075/';
const alerts = {
  name: 'alerts',
  title: 'Alerts',
  url: 'http://127.0.0.1:9093/',
  state: 'ready',
  summary: { kind: 'alerts', severities: { critical: 2 }, suppressed: 0, failing: [] },
  example: 'opsdeck alerts query',
};

test('a complete server is read unchanged', () =>
  assert.deepEqual(parseServers(JSON.stringify([alerts]), HUB), [alerts]));

test('without a state or numbers these are unknown, and the name replaces the title', () => {
  const text = JSON.stringify([{ name: 'relay', url: 'http://127.0.0.1:1/' }]);
  assert.deepEqual(parseServers(text, HUB), [
    { name: 'relay', title: 'relay', url: 'http://127.0.0.1:1/', state: 'unknown', summary: null, example: '' },
  ]);
});

test('unopenable entries are left out', () => {
  const odd = [
    null,
    7,
    'x',
    [],
    {},
    { ...alerts, url: 'javascript:alert(1)' },
    { ...alerts, url: 7 },
    { ...alerts, url: 'http://' },
  ];
  assert.deepEqual(parseServers(JSON.stringify([...odd, alerts]), HUB), [alerts]);
});

test('an invalid list differs from an empty one', () => {
  for (const text of ['', '<html>', 'null', '{}', '"x"']) assert.equal(parseServers(text, HUB), undefined, text);
  assert.deepEqual(parseServers('[]', HUB), []);
});

const links: readonly [url: string, page: string, link: string][] = [
  ['http://127.0.0.1:9093/', HUB, 'http://127.0.0.1:9093/'],
  ['http://127.0.0.1:9093/', 'http://localhost:8075/', 'http://localhost:9093/'],
  ['http://0.0.0.0:9093/', 'http://ops.example.com/', 'http://ops.example.com:9093/'],
  ['http://[::]:9093', HUB, 'http://127.0.0.1:9093/'],
  ['https://alerts.example.com/am/', 'http://ops.example.com/', 'https://alerts.example.com/am/'],
  ['./analytics', 'http://ops.example.com/deck.json', 'http://ops.example.com/analytics'],
];

for (const [url, page, link] of links) {
  test(`from ${page}, ${url} is reached at ${link}`, () => assert.equal(linkOf(url, page), link));
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linkOf, parseServers } from './server-list.ts';

const alerts = {
  name: 'alerts',
  title: 'Alerts',
  description: 'An alert server.',
  url: 'http://127.0.0.1:9093/',
  status: 'ready',
  example: 'opsdeck alerts query',
};

test('a complete server is read unchanged', () => assert.deepEqual(parseServers(JSON.stringify([alerts])), [alerts]));

test('missing fields are empty, and the name replaces the title', () => {
  const text = JSON.stringify([{ name: 'relay', url: 'http://127.0.0.1:1/' }]);
  assert.deepEqual(parseServers(text), [
    { name: 'relay', title: 'relay', description: '', url: 'http://127.0.0.1:1/', status: '', example: '' },
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
  assert.deepEqual(parseServers(JSON.stringify([...odd, alerts])), [alerts]);
});

test('an invalid list differs from an empty one', () => {
  for (const text of ['', '<html>', 'null', '{}', '"x"']) assert.equal(parseServers(text), undefined, text);
  assert.deepEqual(parseServers('[]'), []);
});

const links: readonly [url: string, hubHost: string, link: string][] = [
  ['http://127.0.0.1:9093/', '127.0.0.1', 'http://127.0.0.1:9093/'],
  ['http://0.0.0.0:9093/', 'ops.example.com', 'http://ops.example.com:9093/'],
  ['http://[::]:9093', '127.0.0.1', 'http://127.0.0.1:9093/'],
  ['https://alerts.example.com/am/', 'ops.example.com', 'https://alerts.example.com/am/'],
];

for (const [url, hubHost, link] of links) {
  test(`from ${hubHost}, ${url} is reached at ${link}`, () => assert.equal(linkOf(url, hubHost), link));
}

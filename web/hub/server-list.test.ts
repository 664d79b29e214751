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

test('a server is read as it is told', () => assert.deepEqual(parseServers(JSON.stringify([alerts])), [alerts]));

test('what is missing is empty, and the name stands in for the title', () => {
  const told = JSON.stringify([{ name: 'relay', url: 'http://127.0.0.1:1/' }]);
  assert.deepEqual(parseServers(told), [
    { name: 'relay', title: 'relay', description: '', url: 'http://127.0.0.1:1/', status: '', example: '' },
  ]);
});

test('entries that nobody could open are left out', () => {
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

test('what is no list is told apart from an empty one', () => {
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

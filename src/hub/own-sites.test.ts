import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OwnSites } from './own-sites.ts';

test('a server on the loopback is reached by the names of this machine only', () => {
  const sites = new OwnSites();
  for (const host of ['127.0.0.1', 'localhost', '::1'])
    assert.deepEqual(sites.rulesFor({ host, port: 1 }, '--x').hosts, [], host);
  // The names of other addresses are unknown.
  for (const host of [undefined, '0.0.0.0', '::', '192.168.1.5', 'ops.example.org'])
    assert.equal(sites.rulesFor({ host, port: 1 }, '--x').hosts, undefined, host);
});

test('only pages of servers that run together may use each other, including servers added later', () => {
  const sites = new OwnSites();
  const { allowsOrigin } = sites.rulesFor({ host: '127.0.0.1', port: 9093 }, '--x');
  sites.add('http://127.0.0.1:8060/analytics');
  for (const origin of ['http://127.0.0.1:8060', 'http://localhost:8060']) assert.ok(allowsOrigin?.(origin), origin);
  for (const origin of ['http://127.0.0.1:8061', 'https://localhost:8060', 'http://evil.example:8060', 'null', ''])
    assert.ok(!allowsOrigin?.(origin), origin);
});

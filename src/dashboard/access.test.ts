import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOwnHost } from './access.ts';

const LOCAL = { host: '127.0.0.1', allowRemote: false, allowedHosts: ['usage.example.org'], machineName: 'Desk' };
const REMOTE = { ...LOCAL, host: '0.0.0.0', allowRemote: true };

for (const host of [
  'localhost',
  'localhost:8060',
  '127.0.0.1:8060',
  '127.9.9.9',
  '[::1]:8060',
  'LOCALHOST',
  'a.localhost',
  'usage.example.org:443',
])
  test(`the host ${host} is this server`, () => assert.ok(isOwnHost(host, LOCAL)));

for (const host of [
  undefined,
  '',
  'evil.example',
  '127.0.0.1.evil.example',
  'localhost.evil.example',
  '192.168.1.5',
  'desk',
  'a b',
  'localhost:x',
  '[::1',
  'localhost@evil.example',
  '1270.0.0.1',
])
  test(`the host ${host} is not this server`, () => assert.ok(!isOwnHost(host, LOCAL)));

test('with --allow-remote addresses and the name of the machine are this server; a foreign name is not', () => {
  for (const host of ['192.168.1.5:8060', '[fe80::1]', 'desk', 'desk.local:8060'])
    assert.ok(isOwnHost(host, REMOTE), host);
  for (const host of ['evil.example', 'desk.evil.example']) assert.ok(!isOwnHost(host, REMOTE), host);
});

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { type AddressClass, classifyAddress } from './outbound-address.ts';
import { ForbiddenAddressError, OutboundGuard, type Resolve } from './outbound-guard.ts';

const CLASSES: readonly (readonly [string, AddressClass])[] = [
  ['93.184.215.14', 'public'],
  ['2606:2800:21f:cb07:6820:80da:af6b:8b2c', 'public'],
  ['10.1.2.3', 'private'],
  ['172.31.255.255', 'private'],
  ['172.32.0.1', 'public'],
  ['192.168.1.1', 'private'],
  ['127.0.0.1', 'private'],
  ['127.255.0.9', 'private'],
  ['100.64.0.1', 'private'],
  ['::1', 'private'],
  ['fd12:3456::1', 'private'],
  ['0.0.0.0', 'forbidden'],
  ['0.1.2.3', 'forbidden'],
  ['169.254.169.254', 'forbidden'],
  ['224.0.0.1', 'forbidden'],
  ['255.255.255.255', 'forbidden'],
  ['100.100.100.200', 'forbidden'],
  ['::', 'forbidden'],
  ['fe80::1', 'forbidden'],
  ['fe80::1%eth0', 'forbidden'],
  ['ff02::1', 'forbidden'],
  ['fd00:ec2::254', 'forbidden'],
  ['::ffff:169.254.169.254', 'forbidden'],
  ['::ffff:a9fe:a9fe', 'forbidden'],
  ['::ffff:10.0.0.1', 'private'],
  ['::ffff:93.184.215.14', 'public'],
  ['::a9fe:a9fe', 'forbidden'],
  ['64:ff9b::169.254.169.254', 'forbidden'],
  ['64:ff9b::a00:1', 'private'],
  ['64:ff9b:1::1', 'forbidden'],
  ['2002:a9fe:a9fe::1', 'forbidden'],
  ['2002:7f00:1::', 'private'],
  ['2001:0:4136:e378:8000:63bf:3fff:fdd2', 'forbidden'],
  ['no address', 'forbidden'],
];

for (const [address, expected] of CLASSES) {
  test(`the address ${address} is ${expected}`, () => assert.equal(classifyAddress(address), expected));
}

const guardThatResolves = (resolve: Resolve) => new OutboundGuard({ connectTimeoutMs: 2_000, resolve });
const unresolved: Resolve = (_name, done) => done(new Error('not to be resolved'), []);

const URLS: readonly (readonly [string, 'strict' | 'open' | 'never'])[] = [
  ['https://models.example.com/v1', 'strict'],
  ['http://models.example.com/v1', 'strict'],
  ['http://localhost:11434/v1', 'open'],
  ['http://api.localhost/v1', 'open'],
  ['http://localhost./v1', 'open'],
  ['http://127.1/', 'open'],
  ['http://[64:ff9b::a9fe:a9fe]/', 'never'],
  ['http://[2002:a9fe:a9fe::]/', 'never'],
  ['http://224.0.0.1/', 'never'],
  ['http://127.0.0.1:11434/v1', 'open'],
  ['http://2130706433/', 'open'],
  ['http://0x7f.1/', 'open'],
  ['http://017700000001/', 'open'],
  ['http://[::1]/', 'open'],
  ['http://[::ffff:a9fe:a9fe]/', 'never'],
  ['http://169.254.169.254/latest/meta-data', 'never'],
  ['http://0xa9fea9fe/', 'never'],
  ['http://0/', 'never'],
  ['https://ana:secret@models.example.com/', 'never'],
  ['file:///etc/passwd', 'never'],
  ['gopher://models.example.com/', 'never'],
  ['models.example.com', 'never'],
  ['', 'never'],
];

for (const [url, allowed] of URLS) {
  test(`an address that is entered: ${JSON.stringify(url)} is allowed ${allowed}`, () => {
    const guard = guardThatResolves(unresolved);
    assert.equal(guard.check(url, { allowPrivate: false }).ok, allowed === 'strict');
    assert.equal(guard.check(url, { allowPrivate: true }).ok, allowed !== 'never');
  });
}

test('a refusal does not repeat the password of a URL', () => {
  const verdict = guardThatResolves(unresolved).check('https://ana:hunter2@models.example.com/', {
    allowPrivate: true,
  });
  assert.ok(!verdict.ok);
  assert.doesNotMatch(verdict.reason, /hunter2/);
});

test('a name is judged by what it resolves to when it is connected to, every time', async (t) => {
  const server = createServer((_, response) => response.end('hello'));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  let answer = '127.0.0.1';
  const guard = guardThatResolves((_name, done) => done(null, [{ address: answer, family: 4 }]));
  t.after(() => guard.close());
  const url = new URL(`http://models.example.com:${port}/`);
  const get = (allowPrivate: boolean) => guard.fetch(url, { headers: { connection: 'close' } }, { allowPrivate });
  assert.equal(await (await get(true)).text(), 'hello');
  await assert.rejects(get(false), isForbidden);
  answer = '169.254.169.254';
  await assert.rejects(get(true), isForbidden);
});

test('one bad address among several is enough to be refused', async (t) => {
  const addresses = ['93.184.215.14', '10.0.0.1'].map((address) => ({ address, family: 4 }));
  const guard = guardThatResolves((_name, done) => done(null, addresses));
  t.after(() => guard.close());
  await assert.rejects(guard.fetch(new URL('http://models.example.com:9/'), {}, { allowPrivate: false }), isForbidden);
});

/** The client wraps what goes wrong on the way to a connection. */
function isForbidden(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ForbiddenAddressError) return true;
  }
  return false;
}

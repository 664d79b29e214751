import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { ForbiddenAddressError, OutboundGuard, type Resolve } from './outbound-guard.ts';

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
  ['http://127.0.0.1./', 'open'],
  ['http://127%2e0%2e0%2e1/', 'open'],
  ['http://%31%32%37.1/', 'open'],
  ['http://①②⑦.⓪.⓪.①/', 'open'],
  ['http://127。0。0。1/', 'open'],
  ['http://ＬＯＣＡＬＨＯＳＴ/', 'open'],
  ['http://LOCALHOST./', 'open'],
  ['http:\\\\127.0.0.1\\', 'open'],
  ['http:127.0.0.1', 'open'],
  ['http://\t127.0.0.1/', 'open'],
  ['http://2130706433/', 'open'],
  ['http://0x7f.1/', 'open'],
  ['http://017700000001/', 'open'],
  ['http://[::1]/', 'open'],
  ['http://[::ffff:a9fe:a9fe]/', 'never'],
  ['http://169.254.169.254/latest/meta-data', 'never'],
  ['http://0xa9fea9fe/', 'never'],
  ['http://0/', 'never'],
  ['http://0.0.0.0:80/', 'never'],
  ['http://0xffffffff/', 'never'],
  ['http://4294967296/', 'never'],
  ['http://168.63.129.16/', 'never'],
  ['http://[fe80::1%25eth0]/', 'never'],
  ['http://[fe80::1]/', 'never'],
  ['http://[::ffff:0:127.0.0.1]/', 'never'],
  ['http://models.example.com@127.0.0.1/', 'never'],
  ['http://models.example.com:65536/', 'never'],
  ['http://models.example.com%00.evil/', 'never'],
  ['http://models.example.com%2f@evil/', 'never'],
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
  const outcome = guardThatResolves(unresolved).check('https://ana:hunter2@models.example.com/', {
    allowPrivate: true,
  });
  assert.ok(!outcome.ok);
  assert.doesNotMatch(outcome.reason, /hunter2/);
});

test('a name is judged by its resolved address at each connection', async (t) => {
  const server = createServer((_, response) => response.end('hello'));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  let answer = '127.0.0.1';
  const guard = guardThatResolves((_name, done) => done(null, [{ address: answer, family: 4 }]));
  t.after(() => guard.close());
  const url = new URL(`http://models.example.com:${port}/`);
  const get = (allowPrivate: boolean) => guard.send({ url, headers: { connection: 'close' } }, { allowPrivate });
  assert.equal((await get(true)).text, 'hello');
  await assert.rejects(get(false), isForbidden);
  answer = '169.254.169.254';
  await assert.rejects(get(true), isForbidden);
});

test('one bad address among several is enough to be refused', async (t) => {
  const addresses = ['93.184.215.14', '10.0.0.1'].map((address) => ({ address, family: 4 }));
  const guard = guardThatResolves((_name, done) => done(null, addresses));
  t.after(() => guard.close());
  await assert.rejects(guard.send({ url: 'http://models.example.com:9/' }, { allowPrivate: false }), isForbidden);
});

/** The client wraps errors of a connection. */
function isForbidden(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ForbiddenAddressError) return true;
  }
  return false;
}

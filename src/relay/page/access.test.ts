import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PageAccess, type PageRequest } from './access.ts';

const TOKEN = '0123456789abcdef';
const LOCAL: PageRequest = {
  method: 'GET',
  peer: '127.0.0.1',
  httpVersion: '1.1',
  headers: { host: 'localhost:8030' },
};

const local: readonly (readonly [what: string, request: Partial<PageRequest>])[] = [
  ['IPv4', {}],
  ['IPv6', { peer: '::1', headers: { host: '[::1]:8030' } }],
  ['IPv4 on a socket for both', { peer: '::ffff:127.0.0.1', headers: { host: '127.0.0.1:8030' } }],
  ['HTTP/2', { httpVersion: '2.0' }],
];
for (const [what, request] of local) {
  test(`a client on this machine uses the page without a token: ${what}`, () => {
    const access = new PageAccess(undefined);
    assert.equal(access.refusePage({ ...LOCAL, ...request }), undefined);
    assert.equal(access.refuse({ ...LOCAL, ...request }), undefined);
    assert.equal(new PageAccess(TOKEN).refuse({ ...LOCAL, ...request }), undefined);
  });
}

const remote: readonly (readonly [what: string, request: Partial<PageRequest>, obstacle: RegExp])[] = [
  ['another machine', { peer: '10.0.0.7' }, /another machine/],
  ['another machine that names localhost', { peer: '::ffff:10.0.0.7' }, /another machine/],
  ['an unknown client', { peer: undefined }, /another machine/],
  ['a name that points to this machine', { headers: { host: 'evil.example:8030' } }, /Host/],
  ['a name that begins like this machine', { headers: { host: 'localhost.evil.example' } }, /Host/],
  ['no Host', { headers: {} }, /Host/],
  ['a proxy', { headers: { host: 'localhost:8030', 'x-forwarded-for': '10.0.0.7' } }, /x-forwarded-for shows a proxy/],
  ['another proxy', { headers: { host: 'localhost:8030', via: '1.1 cache' } }, /via shows a proxy/],
  ['nginx on its defaults', { httpVersion: '1.0' }, /HTTP\/1\.0 shows a proxy/],
];
for (const [what, request, obstacle] of remote) {
  test(`other clients need the token: ${what}`, () => {
    const asked = { ...LOCAL, ...request };
    const closed = new PageAccess(undefined);
    for (const refusal of [closed.refusePage(asked), closed.refuse(asked)]) {
      assert.equal(refusal?.kind, 'closed');
      assert.match(refusal?.reason ?? '', obstacle);
      assert.match(refusal?.reason ?? '', /--page-token \(PAGE_TOKEN\)/);
    }
    const open = new PageAccess(TOKEN);
    assert.equal(open.refusePage(asked), undefined);
    assert.equal(open.refuse(asked)?.kind, 'no token');
    const withToken = (authorization: string) =>
      open.refuse({ ...asked, headers: { ...asked.headers, authorization } });
    assert.equal(withToken(`Bearer ${TOKEN}`), undefined);
    assert.equal(withToken(`bearer  ${TOKEN}`), undefined);
    for (const wrong of [TOKEN, `Bearer ${TOKEN}0`, 'Bearer ', `Basic ${TOKEN}`])
      assert.equal(withToken(wrong)?.kind, 'no token', wrong);
  });
}

test('without a token no Authorization opens the page', () => {
  const headers = { host: 'relay.example', authorization: 'Bearer undefined' };
  assert.equal(new PageAccess(undefined).refuse({ ...LOCAL, headers })?.kind, 'closed');
});

test('pages of other sites change nothing without a token of their own', () => {
  const post = (headers: Readonly<Record<string, string>>) =>
    new PageAccess(TOKEN).refuse({ ...LOCAL, method: 'POST', headers: { host: 'localhost:8030', ...headers } });
  assert.equal(post({ origin: 'http://localhost:8030' }), undefined);
  assert.equal(post({}), undefined);
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'http://localhost:3000' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ])
    assert.equal(post(headers)?.kind, 'foreign', JSON.stringify(headers));
  assert.equal(post({ origin: 'https://ops.example', authorization: `Bearer ${TOKEN}` }), undefined);
});

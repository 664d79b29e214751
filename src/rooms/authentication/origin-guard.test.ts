import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Asking, OriginGuard, type OriginRules } from './origin-guard.ts';

const RULES: OriginRules = {
  auth: 'none',
  insecure: false,
  host: '127.0.0.1',
  baseUrl: undefined,
  allowedHosts: [],
  corsOrigins: [],
};
const ASKING: Asking = {
  method: 'GET',
  url: '/api/room',
  isStream: false,
  host: '127.0.0.1:8065',
  origin: undefined,
  site: undefined,
  authorization: undefined,
  headerNames: () => ['host', 'accept'],
};

const outcome = (asking: Partial<Asking>, rules: Partial<OriginRules> = {}) =>
  new OriginGuard({ ...RULES, ...rules }).refuse({ ...ASKING, ...asking })?.code ?? 'in';

describe('without sign-in', () => {
  const hosts: readonly (readonly [string | undefined, string])[] = [
    ['127.0.0.1:8065', 'in'],
    ['localhost', 'in'],
    ['LOCALHOST:1', 'in'],
    ['localhost.', 'in'],
    ['rooms.localhost:8065', 'in'],
    ['[::1]:8065', 'in'],
    ['127.8.9.10', 'in'],
    ['evil.example', 'host_refused'],
    ['localhost.evil.example', 'host_refused'],
    ['127.0.0.1.evil.example', 'host_refused'],
    ['127.0.0.1@evil.example', 'host_refused'],
    ['chat.example.com', 'host_refused'],
    ['', 'host_refused'],
    [undefined, 'host_refused'],
  ];
  for (const [host, expected] of hosts) {
    test(`Host ${host}: ${expected}`, () => assert.equal(outcome({ host }), expected));
  }

  test('configured names are answered', () => {
    assert.equal(outcome({ host: 'chat.example.com' }, { allowedHosts: ['chat.example.com'] }), 'in');
    assert.equal(outcome({ host: 'Chat.Example.com:443' }, { baseUrl: 'https://chat.example.com' }), 'in');
  });

  const requests: readonly (readonly [Partial<Asking>, string])[] = [
    [{ method: 'POST' }, 'in'],
    [{ method: 'POST', origin: 'http://127.0.0.1:8065' }, 'in'],
    [{ method: 'POST', origin: 'https://127.0.0.1:8065', site: 'same-origin' }, 'in'],
    [{ method: 'POST', origin: 'http://127.0.0.1:3000', site: 'same-site' }, 'origin_refused'],
    [{ method: 'POST', origin: 'http://evil.example', site: 'cross-site' }, 'origin_refused'],
    [{ method: 'POST', origin: 'null' }, 'origin_refused'],
    [{ method: 'DELETE', site: 'cross-site' }, 'origin_refused'],
    [{ method: 'PUT', site: 'same-site' }, 'origin_refused'],
    [{ method: 'POST', site: 'none' }, 'in'],
    [{ method: 'POST', origin: 'http://evil.example', authorization: 'Bearer x' }, 'origin_refused'],
    [{ method: 'GET', origin: 'http://evil.example', site: 'cross-site' }, 'in'],
    [{ isStream: true, site: 'cross-site' }, 'origin_refused'],
    [{ isStream: true, origin: 'http://evil.example' }, 'origin_refused'],
    [{ isStream: true }, 'in'],
  ];
  for (const [asking, expected] of requests) {
    test(`${JSON.stringify(asking)}: ${expected}`, () => assert.equal(outcome(asking), expected));
  }

  test('an allowed origin is accepted', () => {
    const rules = { corsOrigins: ['https://tools.example.com'] };
    assert.equal(outcome({ method: 'POST', origin: 'https://tools.example.com', site: 'cross-site' }, rules), 'in');
    assert.equal(outcome({ method: 'POST', origin: 'https://other.example.com' }, rules), 'origin_refused');
  });
});

describe('with tokens', () => {
  const token = { auth: 'token' } as const;
  test('any name is accepted', () => assert.equal(outcome({ host: 'chat.example.com' }, token), 'in'));
  test('a foreign page may not use the cookie', () =>
    assert.equal(outcome({ method: 'POST', origin: 'http://evil.example' }, token), 'origin_refused'));
  test('a page with a token of its own is accepted', () =>
    assert.equal(outcome({ method: 'POST', origin: 'http://app.example', authorization: 'Bearer x' }, token), 'in'));
  test('a foreign page opens no stream with the cookie', () =>
    assert.equal(outcome({ isStream: true, site: 'cross-site' }, token), 'origin_refused'));
});

describe('secrets in the address', () => {
  const secret = `odr_${'a'.repeat(46)}`;
  for (const query of [
    '?token=x',
    '?a=1&access_token=x',
    '?Authorization=Bearer%20x',
    `?q=${secret}`,
    `?q=Bearer%20${secret}`,
    '?api_key=1',
  ]) {
    test(`${query.slice(0, 24)} is refused`, () =>
      assert.equal(outcome({ url: `/api/room${query}` }), 'invalid_query'));
  }
  for (const query of ['?ticket=abc', '?q=token', '?q=odr_', '?next=abc', '?tokens=1']) {
    test(`${query} is accepted`, () => assert.equal(outcome({ url: `/api/room${query}` }), 'in'));
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRequestUri } from './request-uri.ts';

test('an absolute URI or an absolute path is one, and so is nothing at all', () => {
  const good = [
    '',
    '/',
    '/graph?g0.expr=up&g0.tab=1',
    '/with space/é',
    '/%41?%zz',
    '//host/x y',
    '///x',
    '/x#any fragment %zz',
    'http://prometheus.example:9090/graph?g0.expr=a%20b#c',
    'HTTP://x',
    'http://x',
    'http://x#fragment',
    'http://user:p%41ss@host/',
    'http://a@b@c/',
    'http://ü.example/é',
    'http://%C3%BC/',
    'http://%2541/',
    "http://a;b,c!$&'()*+=~-_.b/",
    'http://a<b>"c/',
    'http://127.0.0.1:/',
    'http://:80/',
    'http://[::1]:9090/',
    'http://[fe80::1%25en0]/',
    'http:///x',
    'http:',
    'http:?x',
    'http:/x y',
    'mailto:someone',
    'a+b.c-d:/x',
    'x:%zz',
  ];
  for (const text of good) assert.equal(isRequestUri(text), true, JSON.stringify(text));
});

test('any other text is not a request URI', () => {
  const bad = [
    'x',
    'relative/path',
    './x',
    '?query',
    '#fragment',
    ' /x',
    ':foo',
    '1http://x',
    'a_b:/x',
    'é:/x',
    '/%zz',
    '/%4',
    '//%zz',
    '/line\nbreak',
    'http://h/\u0000',
    'http://h/\u007f',
    'http://a b/',
    'http://a/%zz',
    'http://a/%',
    'http://%zz/',
    'http://%41/',
    'http://a:b/',
    'http://a\\b/',
    'http://a{b',
    'http://a|b',
    'http://a^b',
    'http://a`b',
    'http://[::1',
    'http://[::1]x/',
    'http://[::1]:x/',
    'http://u b@h/',
    'http://ü@h/',
    'http://u[@h/',
  ];
  for (const text of bad) assert.equal(isRequestUri(text), false, JSON.stringify(text));
});

test('a text of any length is read', () => {
  const long = 'a:%41@'.repeat(1_000_000);
  assert.equal(isRequestUri(`http://${long}host/${long}?${long}`), true);
  assert.equal(isRequestUri(`http://${long}ho st/`), false);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HANG_MS } from '../../../src/testing/eventually.ts';
import { assertLinear } from '../../../src/testing/linear-time.ts';
import { isWebAddress, splitLinks } from './text-links.ts';

test('only http and https addresses become links', () => {
  for (const text of ['http://a', 'https://a.example/x?y=(z)#w', 'HTTPS://A'])
    assert.equal(isWebAddress(text), true, text);
  for (const text of [
    'javascript:alert(1)',
    'data:text/html,x',
    '//a',
    'a.example',
    'http://',
    'http:// a',
    'x http://a',
    'ftp://a',
  ]) {
    assert.equal(isWebAddress(text), false, text);
  }
});

const sentences: readonly [text: string, links: readonly string[]][] = [
  ['nothing here', []],
  ['https://a.example', ['https://a.example']],
  ['See https://a.example/x, and (http://b/y).', ['https://a.example/x', 'http://b/y']],
  ['https://a/wiki/X_(y)', ['https://a/wiki/X_(y)']],
  ['<a href="https://a">x</a>', ['https://a']],
  ['javascript:https://', []],
];

for (const [text, links] of sentences) {
  test(`finds ${links.length} addresses in: ${text}`, () => {
    const parts = splitLinks(text);
    assert.deepEqual(
      parts.flatMap((part) => part.href ?? []),
      links,
    );
    assert.equal(parts.map((part) => part.text).join(''), text);
  });
}

test('any annotation is searched for addresses quickly', { timeout: HANG_MS }, () => {
  for (const piece of ['.', ')', '.)', ';', '(', 'https://', 'https://a.', 'https://a ', 'a', '<'])
    assertLinear(piece, (length) => `https://a${piece.repeat(length / piece.length)}x`, splitLinks);
  for (const piece of ['.', ')', '.)'])
    assertLinear(piece, (length) => `https://a${piece.repeat(length / piece.length)}`, splitLinks);
});

test('a very long text has links in its beginning, and is shown whole', () => {
  const text = 'https://a.example/x '.repeat(50_000);
  const parts = splitLinks(text);
  assert.equal(parts.map((part) => part.text).join(''), text);
  assert.equal(parts.length < 2_000, true, `${parts.length} parts`);
});

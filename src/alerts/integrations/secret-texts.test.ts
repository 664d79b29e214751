import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hideSecrets } from './secret-texts.ts';

const texts: [why: string, secrets: readonly string[], text: string, shown: string][] = [
  ['a secret is hidden wherever it stands', ['k3y'], 'k3y and "k3y"', '<redacted> and "<redacted>"'],
  [
    'so it is in a URL, a form and JSON',
    ['a "b"/+'],
    'a%20%22b%22%2F%2B a+%22b%22%2F%2B a%20%22b%22/+ a \\"b\\"/+',
    '<redacted> <redacted> <redacted> <redacted>',
  ],
  [
    'of two secrets the longer one, which contains the other, is hidden whole',
    ['abc', 'abcdef'],
    'abcdef',
    '<redacted>',
  ],
  ['no secret hides nothing', ['', ''], 'text', 'text'],
  ['of a URL the path is one', ['http://h/in/T0K'], '404: /in/T0K', '404: <redacted>'],
  ['and with the query', ['http://h/in?t=T0K3N'], 'GET /in?t=T0K3N', 'GET <redacted>'],
  ['and a value of the query', ['http://h/in?t=T0K3N&v=2'], '{"t":"T0K3N","v":"2"}', '{"t":"<redacted>","v":"2"}'],
  ['but not the slash behind the host', ['http://h/'], 'GET / of http://h/', 'GET / of <redacted>'],
];
for (const [why, secrets, text, shown] of texts) {
  test(why, () => assert.equal(hideSecrets(text, secrets), shown));
}

test('half a surrogate pair hides nothing and harms nothing', () => {
  assert.equal(hideSecrets('text', ['\ud800']), 'text');
});

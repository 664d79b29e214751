import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertLinear } from '../../../../src/testing/linear-time.ts';
import { highlight } from './highlight.ts';

const KINDS = { comment: 'c', string: 's', number: 'n', keyword: 'k', name: 'a', inserted: 'i', deleted: 'd' } as const;

/** Marked pieces as `‹kind text›`. */
const marked = (code: string, language: string): string =>
  highlight(code, language)
    .map(({ text, kind }) => (kind ? `‹${KINDS[kind]} ${text}›` : text))
    .join('');

const CASES: readonly (readonly [language: string, code: string, shown: string])[] = [
  ['sh', 'curl -s "$URL/x" | jq . # all', 'curl ‹a -s› ‹s "$URL/x"› | jq . ‹c # all›'],
  ['bash', 'if [ $# -gt 0 ]; then echo $1; fi', '‹k if› [ ‹a $#› ‹a -gt› 0 ]; ‹k then› ‹k echo› ‹a $1›; ‹k fi›'],
  ['json', '{"a": [1, -2.5e3, true, "b\\"c"]}', '{‹a "a"›: [‹n 1›, ‹n -2.5e3›, ‹k true›, ‹s "b\\"c"›]}'],
  ['yaml', 'a: "b" # c\n- d.e: 1\n  f: true', '‹a a›: ‹s "b"› ‹c # c›\n‹a - d.e›: ‹n 1›\n‹a   f›: ‹k true›'],
  ['yml', 'url: http://x#y', '‹a url›: http://x#y'],
  ['ts', "const a = 'b' + `c\n`; // d", "‹k const› a = ‹s 'b'› + ‹s `c\n`›; ‹c // d›"],
  ['JS', 'constant /* a\nb */ 0x1f', 'constant ‹c /* a\nb */› ‹n 0x1f›'],
  ['python', '@a.b\ndef f(x): """y\nz""" # w', '‹a @a.b›\n‹k def› f(x): ‹s """y\nz"""› ‹c # w›'],
  ['go', 'func f() { s := `a\nb` }', '‹k func› f() { s := ‹s `a\nb`› }'],
  ['sql', "SELECT a from b WHERE c = 'it''s' -- d", "‹k SELECT› a ‹k from› b ‹k WHERE› c = ‹s 'it''s'› ‹c -- d›"],
  ['diff', '--- a\n@@ -1 @@\n-old\n+new\n same', '‹c --- a›\n‹a @@ -1 @@›\n‹d -old›\n‹i +new›\n same'],
  ['ts', '/* unclosed\nx', '‹c /* unclosed\nx›'],
  ['rust', 'fn main() {}', 'fn main() {}'],
];
for (const [language, code, shown] of CASES)
  test(`${language}: ${code.split('\n')[0]}`, () => {
    assert.equal(marked(code, language), shown);
  });

const LANGUAGES = ['sh', 'json', 'yaml', 'ts', 'python', 'go', 'sql', 'diff'];
const HOSTILE = ['"', "'", '`', '/*', '"""', '\\"', '# ', '- ', '${', '-', ' ', '\n', '--', 'a:', '"a" ', '1.', '\\'];

test('any code is marked in linear time, and no character is lost', () => {
  for (const language of LANGUAGES)
    for (const piece of HOSTILE) {
      const codeOf = (length: number) => piece.repeat(length / piece.length);
      const pieces = highlight(codeOf(600), language).map(({ text }) => text);
      assert.equal(pieces.join(''), codeOf(600));
      assertLinear(`${language} ${JSON.stringify(piece)}`, codeOf, (code) => highlight(code, language));
    }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertLinear } from '../../../testing/linear-time.ts';
import { Random } from '../../../testing/random.ts';
import { escapeHtml } from '../functions/escape.ts';
import { formatValue } from '../printf/printf.ts';
import { TemplateError } from '../template-error.ts';
import { assertSame, valueFrom, type WrittenValue } from '../testdata/go-printf-values.ts';
// What html/template of Go 1.26 made of each case; an @ in the document stands for the next value.
import measured from '../testdata/html-escape-cases.json' with { type: 'json' };
import { HtmlContext, type NamedEscaper } from './escape.ts';
import { SafeText } from './safe-text.ts';

interface HtmlCase {
  readonly html: string;
  readonly values: readonly WrittenValue[];
  /** The function that ends the pipeline. */
  readonly escaper?: NamedEscaper;
  readonly text: string;
  readonly error?: string;
}

const { cases } = measured as unknown as { readonly cases: readonly HtmlCase[] };

const queryEscaped = (text: string): string =>
  encodeURIComponent(text)
    .replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');

function render({ html, values, escaper }: HtmlCase): string {
  const context = new HtmlContext();
  const rest = values.map(valueFrom);
  const escaped = escaper === 'html' ? escapeHtml : queryEscaped;
  return html
    .split(/(@)/)
    .filter((piece) => piece !== '')
    .map((piece) => {
      if (piece !== '@') return context.text(piece);
      const value = rest.shift();
      return escaper ? context.print(escaped(formatValue(value)), escaper) : context.print(value);
    })
    .join('');
}

/** Go refuses documents that end within a tag or the like, and some uses of functions, before anything is rendered. */
const isLenient = ({ error }: HtmlCase): boolean => /non-text context|predefined escaper/.test(error ?? '');

test('values are escaped for the place where they go as Go escapes them', () => {
  assertSame(
    cases.filter(({ error, escaper }) => error === undefined && escaper === undefined),
    (c) => [render(c), c.text],
  );
});

test('a value is not escaped twice where the template names the escaper', () => {
  // Values are not texts there; after the escaper it is unknown which were safe, or numbers in a script.
  const isPlain = ({ html, values: [value = {}] }: HtmlCase) =>
    !('nil' in value || 'url' in value) && ('string' in value || !html.includes('onclick="'));
  const named = cases.filter((one) => one.error === undefined && one.escaper !== undefined && isPlain(one));
  assertSame(named, (c) => [render(c), c.text]);
});

test('a named escaper does not allow a value to leave its quotes', () => {
  const context = new HtmlContext();
  context.text('<p onclick="f(');
  assert.equal(context.print(escapeHtml('a"b'), 'html'), '&#34;a\\&#34;b&#34;');
});

test('a document that cannot be followed is refused in Go’s words', () => {
  const refused = cases.filter((one) => one.error !== undefined && !isLenient(one));
  assert.ok(refused.length > 20);
  for (const one of refused) assert.throws(() => render(one), new TemplateError(one.error), one.html);
});

test('a document that ends too early has its values escaped all the same', () => {
  const open = cases.filter((one) => isLenient(one) && one.values.every((value) => 'string' in value));
  assert.ok(open.length > 10);
  for (const one of open) assert.doesNotMatch(render(one), /<b>"x"|<\/script><!-- -->|javascript:alert/, one.html);
});

test('a document reports whether it could end', () => {
  const endings: readonly (readonly [html: string, isInText: boolean])[] = [
    ['', true],
    ['<p>x</p>', true],
    ['<p', false],
    ['<p title="', false],
    ['<!-- ', false],
    ['<script>x', false],
    ['<script>x</script>', true],
    ['<title>x', false],
    ['<style>a{}</style> ', true],
  ];
  for (const [html, isInText] of endings) {
    const context = new HtmlContext();
    context.text(html);
    assert.equal(context.isInText, isInText, html);
  }
});

test('a token that two pieces of literal text share is followed', () => {
  const context = new HtmlContext();
  const written = [context.text('<a hr'), context.text('ef='), context.text('"/x'), context.text('?q="')];
  assert.equal(written.join(''), '<a href="/x?q="');
  const value = new HtmlContext();
  value.text('<p title=');
  value.text('"');
  assert.equal(value.print('"'), '&#34;');
});

const TOKENS = [
  ...[
    '<p ',
    '<a href=',
    '<a href="',
    '"',
    "'",
    '>',
    '<script>',
    '</script>',
    '<style>',
    '</style>',
    '<title>',
    '</title>',
  ],
  ...[
    '/',
    '`',
    '${',
    '}',
    '{ ',
    '\\',
    'url(',
    ')',
    '//',
    '/*',
    '*/',
    '<!--',
    '-->',
    '\n',
    ' ',
    '=',
    ' style="',
    ' onclick="',
  ],
  ...[' title=', ' srcset="', 'x', '&quot;', '<', '<b>', '<meta content="', 'url=', '?', '#', ',', '[', '<br/>'],
];

test('no value in any document can start a tag, or end a script or comment', () => {
  const random = new Random(3);
  let printed = 0;
  for (let round = 0; round < 3000; round++) {
    const context = new HtmlContext();
    const document: string[] = [];
    try {
      for (let step = random.int(1, 8); step > 0; step--) {
        const literal = random.pick(TOKENS) + random.pick(TOKENS);
        document.push(literal);
        context.text(literal);
        assert.doesNotMatch(context.print(`<i>"'</script>-->`), /<i>|<\/|-->/, document.join('@'));
        printed++;
      }
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
    }
  }
  assert.ok(printed > 5000);
});

test('only HTML that is vouched for is HTML, and only in text', () => {
  const bold = new SafeText('html', '<b title="x">y</b>');
  assert.equal(new HtmlContext().print(bold), '<b title="x">y</b>');
  assert.equal(new HtmlContext().print(new SafeText('url', '<b>')), '&lt;b&gt;');
  const attribute = new HtmlContext();
  attribute.text('<p title="');
  assert.equal(attribute.print(bold), 'y');
});

test('literal text is read in a time that grows no faster than it', () => {
  for (const [start, piece, end] of [
    ['<script>x', 'y', '</script>'],
    ['<script>`', 'z$', '`</script>'],
    ['<script>', '++', '+</script>'],
    ['<script>', 'x = "a" / 2; ', '</script>'],
    ['', '<p title="&amp;">', ''],
  ] as const)
    assertLinear(
      piece,
      (length) => piece.repeat(length / piece.length),
      (text) => {
        const context = new HtmlContext();
        for (const part of [start, text, end]) context.text(part);
        assert.equal(context.isInText, true);
      },
    );
});

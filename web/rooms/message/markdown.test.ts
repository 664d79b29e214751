import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPlainText, isSafeLink, markdownToHtml } from './markdown.ts';

const cases: readonly (readonly [rule: string, text: string, html: string])[] = [
  ['emphasis', '**a** *b* ~~c~~', '<p><strong>a</strong> <em>b</em> <del>c</del></p>\n'],
  ['a line’s end is one', 'a\nb', '<p>a<br>b</p>\n'],
  [
    'markup is shown as it was typed',
    '<b onclick="x()">a</b>',
    '<p>&#60;b onclick=&#34;x()&#34;&#62;a&#60;/b&#62;</p>\n',
  ],
  [
    'a picture is a link',
    '![cat](https://x.example/c.png)',
    '<p><a href="https://x.example/c.png" target="_blank" rel="noopener noreferrer">cat</a></p>\n',
  ],
  ['a script is no link', '[a](javascript:alert(1))', '<p>a</p>\n'],
  ['data is no link', '[a](data:text/html,x)', '<p>a</p>\n'],
  [
    'mail is a link',
    '[a](mailto:ana@x.example)',
    '<p><a href="mailto:ana@x.example" target="_blank" rel="noopener noreferrer">a</a></p>\n',
  ],
  [
    'code keeps its signs',
    '```js\nif (a < b) {}\n```',
    '<pre data-language="js" tabindex="0"><code>if (a &#60; b) {}</code></pre>\n',
  ],
  ['the language is a word', '```"><img src=x\na\n```', '<pre tabindex="0"><code>a</code></pre>\n'],
  ['a heading is a paragraph of the message', '# a', '<p class="heading">a</p>\n'],
  [
    'an address is a link',
    'see https://x.example/a',
    '<p>see <a href="https://x.example/a" target="_blank" rel="noopener noreferrer">https://x.example/a</a></p>\n',
  ],
];
for (const [rule, text, html] of cases) {
  test(rule, () => {
    assert.equal(markdownToHtml(text), html);
  });
}

test('only web and mail addresses are links', () => {
  const addresses = [
    'https://a.example',
    'HTTP://a.example',
    'mailto:a@b.example',
    'javascript:x',
    'java\nscript:x',
    '//a.example',
    '/r/ops',
    'file:///etc/passwd',
    'https://a b',
  ];
  assert.deepEqual(addresses.filter(isSafeLink), ['https://a.example', 'HTTP://a.example', 'mailto:a@b.example']);
});

test('the plain-text shortcut gives the same result as the parser', () => {
  const texts = [
    'hello there',
    'a - b',
    'at 10:30, (maybe)',
    "it's 5 o'clock; fine?",
    '+1',
    '1. one',
    '- one',
    '# a',
    'a_b',
    'www.a.example',
    '    four',
    'a & b',
    'x < y',
    'ends \\',
    '===',
    'mail@a.example',
  ];
  for (const text of texts.filter(isPlainText)) {
    const escaped = text.replace(/'/g, '&#39;');
    assert.equal(markdownToHtml(text)?.trim(), `<p>${escaped}</p>`, text);
  }
  assert.equal(texts.filter(isPlainText).length >= 4, true);
});

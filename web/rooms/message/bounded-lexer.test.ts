// One text must not keep a page busy: every reader's page parses it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HANG_MS } from '../../../src/testing/eventually.ts';
import { processorMs } from '../../../src/testing/linear-time.ts';
import { HOSTILE_TEXTS } from './hostile-texts.ts';
import { splitLongText } from './long-text.ts';
import { markdownToHtml } from './markdown.ts';

const ORDINARY = [
  '## What happened at 10:30',
  '',
  'The **primary** of `db-1` was *not* reachable from [the outside](https://x.example/a_(b)?c=d), see www.x.example.',
  '',
  '- checked `ping`, `dig` and **all** of the rest',
  '  - [x] mail to ops_team@x.example',
  '',
  '1. wait',
  '',
  '> quoted by ana',
  '',
  '| host | state |',
  '|------|-------|',
  '| db-1 | ~~up~~ down |',
  '',
  '```sh',
  'curl -s http://127.0.0.1:9093/-/ready | jq .',
  '```',
  '',
  '',
].join('\n');
const SECTIONS = Math.floor(16_384 / ORDINARY.length);

/** The least processor time of several rounds, without occasional compilation and garbage collection. */
const leastMs = (text: string): number =>
  Math.min(...Array.from({ length: 4 }, () => processorMs(() => markdownToHtml(text))));

test('a long text of ordinary Markdown is parsed', () => {
  const html = markdownToHtml(ORDINARY.repeat(SECTIONS)) ?? '';
  assert.equal(html.split('<table>').length - 1, SECTIONS);
});

const ordinaryMs = leastMs(ORDINARY.repeat(SECTIONS));
for (const [name, text] of HOSTILE_TEXTS) {
  test(`a message of ${name} costs little more than an ordinary one`, { timeout: HANG_MS }, () => {
    const { shown } = splitLongText(text);
    const ms = leastMs(shown);
    assert.equal(ms < 10 * ordinaryMs, true, `${ms} ms; an ordinary text takes ${ordinaryMs} ms`);
    // A short text must not become a huge page either.
    const html = markdownToHtml(shown) ?? '';
    assert.equal(html.length < 20 * 16_384, true, `${html.length} characters of HTML`);
  });
}

test('quotes and lists in each other are Markdown up to a depth', () => {
  assert.match(markdownToHtml('> > > - - **a**') ?? '', /<blockquote>\s*<blockquote>\s*<blockquote>\s*<ul>/);
  assert.equal(markdownToHtml(`${'> '.repeat(13)}a`), undefined);
  assert.equal(markdownToHtml(`${'- '.repeat(13)}a`), undefined);
  assert.equal(markdownToHtml('>'.repeat(20_000)), undefined);
});

test('an address ends at the punctuation of its sentence', () => {
  const ends = ['.', ',', '!', '?', ';', ':', ')', '**', '...', ');', '."'];
  for (const end of ends)
    assert.match(markdownToHtml(`https://x.example/a${end} b`) ?? '', /href="https:\/\/x\.example\/a"/, end);
  assert.match(markdownToHtml('(https://x.example/a_(b))') ?? '', /href="https:\/\/x\.example\/a_\(b\)"/);
  assert.match(markdownToHtml('www.x.example') ?? '', /href="http:\/\/www\.x\.example"/);
});

test('a mail address is a link, however long the word before it', () => {
  assert.match(markdownToHtml('write to ana.b@x.example!') ?? '', /href="mailto:ana\.b@x\.example"/);
  assert.match(markdownToHtml(`${'a'.repeat(500)} ana@x.example`) ?? '', /href="mailto:ana@x\.example"/);
});

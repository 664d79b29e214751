import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertLinear } from '../../../testing/linear-time.ts';
import { copilotHandle, findMentions } from './mention.ts';

const KNOWN = new Set(['ana', 'ben', 'kim.lee', 'kim', 'x_y-z']);
const audience = { isUser: (id: string) => KNOWN.has(id), copilot: 'copilot' };

const MENTIONS: readonly (readonly [body: string, users: readonly string[], flags?: string])[] = [
  ['nobody', []],
  ['@ana', ['ana']],
  ['hello @ana, and @ben!', ['ana', 'ben']],
  ['@Ana @ANA @ana', ['ana']],
  ['(@ana)', ['ana']],
  ['thanks @ana.', ['ana']],
  ['thanks @ana...', ['ana']],
  ['@kim.lee', ['kim.lee']],
  ['@kim.lee.', ['kim.lee']],
  ['@kim.smith', []],
  ['@x_y-z-', ['x_y-z']],
  ['@stranger', []],
  ['ana@ben', []],
  ['mail ana@ben.example', []],
  ['https://example.com/@ana', []],
  ['@@ana', []],
  ['שלום @ana שלום', ['ana']],
  ['😀@ana', ['ana']],
  ['@all hands', [], 'room'],
  ['@allison', []],
  ['@copilot why?', [], 'copilot'],
  ['@Copilot: why?', [], 'copilot'],
  ['@copilots', []],
  ['`@ana`', []],
  ['``a ` @ana`` @ben', ['ben']],
  ['`open @ana', ['ana']],
  ['\\`@ana`', ['ana']],
  ['`a\nb @ana` @ben', ['ben']],
  ['`a\n\nb @ana`', ['ana']],
  ['```\n@ana\n```\n@ben', ['ben']],
  ['```js\n@ana @all @copilot\n', []],
  ['~~~\n@ana\n```\n@ana\n~~~\n@ben', ['ben']],
  ['````\n```\n@ana\n````', []],
  ['   ```\n@ana\n   ```\n@ben', ['ben']],
  ['```a`b\n@ana', ['ana']],
];

for (const [body, users, flags = ''] of MENTIONS) {
  test(`mentions in ${JSON.stringify(body)}`, () => {
    const expected = { users, room: flags.includes('room'), copilot: flags.includes('copilot') };
    assert.deepEqual(findMentions(body, 'markdown', audience), expected);
  });
}

test('plain text has no code', () => {
  assert.deepEqual(findMentions('`@ana`', 'plain', audience).users, ['ana']);
});

test('a room without a copilot mentions none', () => {
  assert.equal(findMentions('@copilot', 'markdown', { ...audience, copilot: undefined }).copilot, false);
});

test('at most 50 users are mentioned, and @all counts after them too', () => {
  const body = `${Array.from({ length: 60 }, (_, n) => `@u${n}`).join(' ')} @all`;
  const mentions = findMentions(body, 'markdown', { isUser: () => true, copilot: undefined });
  assert.equal(mentions.users.length, 50);
  assert.ok(mentions.room);
});

test('the handle of a copilot follows from its name', () => {
  for (const [name, handle] of [
    ['copilot', 'copilot'],
    ['Night Watch', 'night-watch'],
    ['Köpilot_2', 'kopilot-2'],
    [' - a - ', 'a'],
    ['助手', '助手'],
  ] as const) {
    assert.equal(copilotHandle(name), handle);
    assert.ok(findMentions(`@${handle}`, 'markdown', { isUser: () => false, copilot: handle }).copilot, name);
  }
});

test('a hostile text is parsed in time linear in its length', () => {
  for (const [start, piece] of [
    ['', '`'],
    ['', '` `` '],
    ['', '@'],
    ['', '@a.'],
    ['@', '.'],
  ] as const)
    assertLinear(
      start + piece,
      (length) => `${start}${piece.repeat(length / piece.length)}@`,
      (text) => findMentions(text, 'markdown', audience),
    );
});

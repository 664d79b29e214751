import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { COMMANDS as SERVER_COMMANDS } from '../../../src/rooms/commands/list.ts';
import { german } from './de.ts';
import { english } from './en.ts';
import { germanRefusal } from './refusal-german.ts';
import { COMMANDS } from './server-german.ts';

const placesOf = (text: string) => new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));

test('German has every text of English, with the same values and forms', () => {
  assert.deepEqual(Object.keys(german), Object.keys(english));
  for (const [key, text] of Object.entries(english)) {
    const other = german[key as keyof typeof english];
    assert.deepEqual(placesOf(other), placesOf(text), key);
    assert.equal(other.split(' || ').length, text.split(' || ').length, key);
  }
});

test('every slash command has a German line and hint', () => {
  assert.deepEqual(Object.keys(COMMANDS).sort(), SERVER_COMMANDS.map(({ name }) => name).sort());
  for (const [name, [help]] of Object.entries(COMMANDS)) assert.match(help, new RegExp(`^/${name}\\b`));
});

test('a refusal with one reason is all German, and one with several keeps the words of the server', () => {
  assert.equal(germanRefusal('name_taken', 'the name is taken'), 'Dieser Name ist vergeben');
  assert.equal(germanRefusal('forbidden', 'you cannot ban $&'), 'Das ist hier nicht erlaubt (you cannot ban $&)');
  assert.equal(germanRefusal('new_code', 'no'), undefined);
});

/** Names that look like words: keys of the keyboard, headers, the browser's and the server's names, commands. */
const NAMES = /^(Escape|Enter|Tab|Home|End|Arrow\w+|Accept|Retry-After|Notification|Silence|Alerts)$|^opsdeck /;
/** A capitalised word or sentence, or three words in a row. */
const WORDS = /^\p{Lu}\p{Ll}+(?=$|[ ,.:?])|^[\p{L} ,]*\p{L}{2,} \p{L}{2,} \p{L}{2,}/u;

/** The string literals of a source that look like text for people. */
const textsOf = (source: string): readonly string[] =>
  [...source.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*/g, '').matchAll(/'([^'\n]*)'|`([^`]*)`|"([^"\n]*)"/g)]
    .map(([, ...kinds]) => kinds.find((text) => text !== undefined) ?? '')
    .filter((text) => WORDS.test(text) && !NAMES.test(text));

test('the code of the page contains no text: all stand in the tables', () => {
  const files = readdirSync('web/rooms', { recursive: true, encoding: 'utf8' }).filter(
    (file) => /(?<!\.test)\.ts$/.test(file) && !/^(text|browser|message\/code)\/|testdata|hostile-texts/.test(file),
  );
  assert.ok(files.includes('room/pane.ts'));
  const found = files.flatMap((file) =>
    textsOf(readFileSync(join('web/rooms', file), 'utf8')).map((text) => `${file}: ${text}`),
  );
  assert.deepEqual(found, []);
});

test('a text in the code is found', () => {
  assert.deepEqual(
    textsOf(`h('p', { class: 'soft x' }, 'Close'); say(\`Not sent: no\`); 'this is text'; // 'Not this'`),
    ['Close', 'Not sent: no', 'this is text'],
  );
});

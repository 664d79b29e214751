import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeFileText } from './prompt-file.ts';

const decode = (bytes: Buffer | string, isCut = false) => decodeFileText(Buffer.from(bytes as string), isCut)?.text;

test('a text is read whole; a longer text, up to its last whole line', () => {
  assert.equal(decode('one\ntwo'), 'one\ntwo');
  assert.equal(decode('one\ntwo', true), 'one');
  assert.equal(decode('one line that goes on', true), 'one line that goes on');
});

test('a cut within a character is not an encoding error', () => {
  assert.equal(decode(Buffer.from('a\n\u00e9').subarray(0, 3), true), 'a');
  assert.equal(decode(Buffer.from('\u00e9\u00e9').subarray(0, 3), true), '\u00e9');
});

test('text other than UTF-8 is not read', () => {
  assert.equal(decode(Buffer.from([0x61, 0xff, 0x62])), undefined);
  assert.equal(decode(Buffer.from('\u00e9').subarray(0, 1)), undefined);
  assert.equal(decode('a\0b'), undefined);
});

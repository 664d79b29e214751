import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ArrayText } from './array-text.ts';

test('elements of any size are joined by commas', () => {
  const parts = [1, 500, 511, 1, 70_000, 1023, 1024, 65_536, 3, 200_000, 2].map(
    (length, index) => `"${String.fromCharCode(97 + index).repeat(length)}"`,
  );
  const text = new ArrayText();
  for (const part of parts) text.add(Buffer.from(part));
  assert.equal(text.end().toString(), `[${parts.join(',')}]`);
});

test('many small elements are joined by commas', () => {
  const text = new ArrayText();
  const numbers = Array.from({ length: 50_000 }, (_, index) => index);
  for (const number of numbers) text.add(Buffer.from(String(number)));
  assert.deepEqual(JSON.parse(text.end().toString()), numbers);
});

test('without elements the array is empty', () => {
  assert.equal(new ArrayText().end().toString(), '[]');
});

test('an element is copied', () => {
  const element = Buffer.from('1');
  const text = new ArrayText();
  text.add(element);
  element.fill('x');
  assert.equal(text.end().toString(), '[1]');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isClassicLabelName, isUtf8LabelName } from './label-name.ts';

test('a classic label name is made of ASCII letters, digits and underscores, and begins with no digit', () => {
  for (const name of ['foo', '_foo1', 'A', '_', '__name__']) assert.equal(isClassicLabelName(name), true, name);
  for (const name of ['', '0foo', 'foo🙂', 'a-b', 'a:b', 'a b', 'é', 'foo\n', '\nfoo']) {
    assert.equal(isClassicLabelName(name), false, name);
  }
});

test('a UTF-8 label name is any text except the empty one and invalid UTF-8', () => {
  for (const name of ['foo', '_foo1', '0foo', 'foo🙂', 'a b', '\n', '"', '\0'])
    assert.equal(isUtf8LabelName(name), true, name);
  for (const name of ['', '\ud83d', 'a\ude42']) assert.equal(isUtf8LabelName(name), false, name);
});

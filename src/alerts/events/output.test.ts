import assert from 'node:assert/strict';
import { test } from 'node:test';
import { standardOutput } from './output.ts';

test('the standard output gets one event a line', async (t) => {
  const texts: string[] = [];
  t.mock.method(process.stdout, 'write', (text: string, done: () => void) => {
    texts.push(text);
    done();
    return true;
  });
  const output = standardOutput();
  await output.send(['{"a":1}', '{"a":2}']);
  t.mock.restoreAll();
  assert.deepEqual(texts, ['{"a":1}\n{"a":2}\n']);
});

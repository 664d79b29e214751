import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { temporaryFolder } from '../../testing/processes.ts';
import { openUnnamedFile } from './unnamed-file.ts';

test('an unnamed file can be written and read while its folder is empty', async (t) => {
  const folder = temporaryFolder(t);
  const file = await openUnnamedFile(folder);
  assert.deepEqual(readdirSync(folder), []);
  await file.write('kept');
  assert.equal(await text(file.createReadStream({ start: 0, autoClose: false })), 'kept');
  await file.close();
});

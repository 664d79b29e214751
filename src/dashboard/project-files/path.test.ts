import assert from 'node:assert/strict';
import { renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryFolder } from '../../testing/processes.ts';
import { writeFiles } from '../testing/app.ts';
import { openByNames } from './path.ts';

/** A folder writable by another user, and a folder with files closed to that user. */
function setUp(t: TestContext) {
  const folder = temporaryFolder(t);
  const secrets = temporaryFolder(t);
  writeFiles(folder, { 'shared/x.txt': 'open' });
  writeFiles(secrets, { 'x.txt': 'secret' });
  const exchange = () => {
    renameSync(join(folder, 'shared'), join(folder, 'aside'));
    symlinkSync(secrets, join(folder, 'shared'));
  };
  return { folder, exchange };
}

async function textOf(handle: Awaited<ReturnType<typeof openByNames>>): Promise<string | undefined> {
  const text = await handle?.readFile('utf8');
  await handle?.close();
  return text;
}

test('a folder replaced by a link before it is opened is not entered', async (t) => {
  const { folder, exchange } = setUp(t);
  const handle = await openByNames(folder, ['shared', 'x.txt'], async (_, depth) => {
    if (depth === 0) exchange();
    return true;
  });
  assert.equal(await textOf(handle), undefined);
});

const onLinux = { skip: process.platform !== 'linux' && 'only Linux opens a file relative to an open folder' };
test('a folder replaced by a link after the check stays the checked folder', onLinux, async (t) => {
  const { folder, exchange } = setUp(t);
  const handle = await openByNames(folder, ['shared', 'x.txt'], async (_, depth) => {
    if (depth === 1) exchange();
    return true;
  });
  assert.equal(await textOf(handle), 'open');
});

test('nothing below a folder that may not be passed is opened', async (t) => {
  const { folder } = setUp(t);
  assert.equal(await openByNames(folder, ['shared', 'x.txt'], async (_, depth) => depth !== 1), undefined);
});

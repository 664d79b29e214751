import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../testing/processes.ts';
import { SecretSource } from './secret-source.ts';

const variables = {
  OPSDECK_COPILOT_KEY: ' key-from-env \n',
  OPSDECK_COPILOT_BAD: 'two words',
  OPSDECK_ADMIN_TOKEN: 'not for models',
};

test('a variable is read if its name marks it for copilots', async () => {
  const source = new SecretSource({ variables, folder: undefined });
  assert.deepEqual(await source.read('env:OPSDECK_COPILOT_KEY'), { ok: true, value: 'key-from-env' });
  for (const reference of [
    'env:OPSDECK_ADMIN_TOKEN',
    'env:OPSDECK_COPILOT_NONE',
    'env:OPSDECK_COPILOT_BAD',
    'env:PATH',
    'toString:x',
    'x',
  ]) {
    const read = await source.read(reference);
    assert.equal(read.ok, false, reference);
    assert.equal(JSON.stringify(read).includes('words'), false);
  }
});

test('a file is read if its real path is in the directory of secrets', async (t) => {
  const base = temporaryFolder(t);
  const folder = join(base, 'secrets');
  mkdirSync(join(folder, '..data'), { recursive: true });
  mkdirSync(join(base, 'secrets-of-others'));
  writeFileSync(join(folder, 'plain'), 'key-of-a-file\n');
  writeFileSync(join(folder, '..data', 'mounted'), 'key-of-a-mount');
  writeFileSync(join(folder, 'large'), 'x'.repeat(5_000));
  writeFileSync(join(folder, 'words'), 'two words');
  writeFileSync(join(base, 'outside'), 'key-of-others');
  writeFileSync(join(base, 'secrets-of-others', 'key'), 'key-of-others');
  symlinkSync(join('..data', 'mounted'), join(folder, 'mounted'));
  symlinkSync(join(base, 'outside'), join(folder, 'link'));
  symlinkSync(base, join(folder, 'up'));
  const source = new SecretSource({ variables: {}, folder });
  assert.deepEqual(await source.read('file:plain'), { ok: true, value: 'key-of-a-file' });
  assert.deepEqual(await source.read('file:mounted'), { ok: true, value: 'key-of-a-mount' });
  assert.deepEqual(await source.read(`file:${join(folder, 'plain')}`), { ok: true, value: 'key-of-a-file' });
  const refused = [
    'link',
    'up/outside',
    '../outside',
    '../secrets-of-others/key',
    '/etc/hostname',
    '',
    '.',
    'none',
    'large',
    'words',
  ];
  for (const name of refused) {
    const read = await source.read(`file:${name}`);
    assert.equal(read.ok, false, name);
    assert.equal(JSON.stringify(read).includes('key-of-others'), false);
  }
  const nowhere = new SecretSource({ variables: {}, folder: undefined });
  assert.equal((await nowhere.read('file:plain')).ok, false);
});

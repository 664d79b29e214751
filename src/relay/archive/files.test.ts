import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { archiveEntries, packArchive, packTar, type TarEntry } from '../testing/launchdarkly/archive.ts';
import { readArchiveFiles } from './files.ts';

async function archivePath(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'opsdeck-'));
  t.after(() => rm(folder, { recursive: true }));
  return join(folder, 'flags.tar.gz');
}

describe('refused is an archive', () => {
  const entries = archiveEntries([{ id: 'env1' }]);
  const without = (name: string) => entries.filter((entry) => entry.name !== name);
  const withOther = (entry: TarEntry) => [...without(entry.name), entry];
  const whole = packArchive([{ id: 'env1' }]);
  const cases: Record<string, [content: Buffer, reason: RegExp]> = {
    'without a checksum': [packTar(without('checksum.md5')), /checksum\.md5 is missing/],
    'with a checksum in hexadecimal digits': [
      packTar(withOther({ name: 'checksum.md5', content: Buffer.from(entries[2]?.content as Buffer).toString('hex') })),
      /checksum\.md5 says/,
    ],
    'with changed data': [packTar(withOther({ name: 'env1-data.json', content: '{}' })), /checksum\.md5 says/],
    'without the data of an environment': [packTar(without('env1-data.json')), /env1-data\.json is missing/],
    'with a name that climbs out': [packTar([...entries, { name: '../x.json', content: '' }]), /lies outside/],
    'with a name that climbs out in the middle': [
      packTar([...entries, { name: 'a/../../x', content: '' }]),
      /lies outside/,
    ],
    'with an absolute name': [packTar([...entries, { name: '/etc/x.json', content: '' }]), /lies outside/],
    'with a name of another system that climbs out': [
      packTar([...entries, { name: '..\\x', content: '' }]),
      /lies outside/,
    ],
    'cut off': [whole.subarray(0, whole.length - 20), /cannot be uncompressed|it ends/],
    'with a broken compression': [Buffer.concat([whole.subarray(0, 20), Buffer.alloc(20)]), /cannot be uncompressed/],
    'of plain text': [Buffer.from('hello'), /it ends at a header/],
    'of one byte': [Buffer.from('h'), /it ends at a header/],
    'that is empty': [Buffer.alloc(0), /checksum\.md5 is missing/],
  };
  for (const [name, [content, reason]] of Object.entries(cases)) {
    test(name, async (t) => {
      const path = await archivePath(t);
      await writeFile(path, content);
      const read = await readArchiveFiles(path);
      assert.match(read.ok ? '' : read.reason, reason);
    });
  }

  test('that does not exist', async () => {
    assert.deepEqual(await readArchiveFiles('/nowhere/x.tar'), { ok: false, reason: 'ENOENT' });
  });

  test('that is a folder', async () => {
    assert.deepEqual(await readArchiveFiles(tmpdir()), { ok: false, reason: 'EISDIR' });
  });
});

test('a bomb is not unpacked beyond the limit', async (t) => {
  const path = await archivePath(t);
  const bomb = gzipSync(packTar([{ name: 'env1.json', content: Buffer.alloc(16 * 2 ** 20) }]));
  await writeFile(path, bomb);
  assert.ok(bomb.length < 20_000);
  const limit = 2 ** 20;
  for (const limits of [
    { maxFileBytes: limit, maxTotalBytes: 2 ** 30 },
    { maxFileBytes: 2 ** 30, maxTotalBytes: limit },
  ]) {
    const read = await readArchiveFiles(path, limits);
    assert.match(read.ok ? '' : read.reason, /is bigger than 1048576 bytes/);
  }
});

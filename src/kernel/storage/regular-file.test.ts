import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { HANG_MS } from '../../testing/eventually.ts';
import { temporaryFolder } from '../../testing/processes.ts';
import { readRegularFile, readRegularFileSync } from './regular-file.ts';

const WAYS = {
  'beside the event loop': readRegularFile,
  'at once': async (...asked: Parameters<typeof readRegularFile>) => readRegularFileSync(...asked),
};

for (const [way, read] of Object.entries(WAYS)) {
  test(`a file is read ${way}`, async (t) => {
    const path = join(temporaryFolder(t), 'file');
    writeFileSync(path, 'tëxt\n');
    assert.equal(await read(path), 'tëxt\n');
    await assert.rejects(read(`${path}s`), { code: 'ENOENT' });
  });

  test(`an endless file is not read ${way}`, { timeout: HANG_MS }, async (t) => {
    const folder = temporaryFolder(t);
    const path = (name: string) => join(folder, name);
    execFileSync('mkfifo', [path('pipe')]);
    mkdirSync(path('folder'));
    writeFileSync(path('large'), '');
    truncateSync(path('large'), 101);
    const server = createServer().listen(path('socket'));
    t.after(() => server.close());
    await once(server, 'listening');
    const other = 'is a pipe or a socket, not a file';
    await assert.rejects(read(path('pipe')), { message: `read ${path('pipe')}: ${other}` });
    await assert.rejects(read(path('socket')), { message: `read ${path('socket')}: ${other}` });
    await assert.rejects(read('/dev/zero'), { message: 'read /dev/zero: is larger than 16777216 bytes' });
    assert.equal(await read('/dev/null'), '');
    await assert.rejects(read(path('folder')), { message: `read ${path('folder')}: is a directory` });
    await assert.rejects(read(path('large'), 100), { message: `read ${path('large')}: is larger than 100 bytes` });
    assert.equal((await read(path('large'), 101)).length, 101);
  });
}

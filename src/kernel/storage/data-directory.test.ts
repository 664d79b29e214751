import assert from 'node:assert/strict';
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join, relative } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { bundleScript, startChild } from '../../testing/child-script.ts';
import { temporaryFolder } from '../../testing/processes.ts';
import { systemClock } from '../clock.ts';
import { CommandError, type ExitCode } from '../errors.ts';
import { type DataDirectory, ownDataDirectory } from './data-directory.ts';

async function own(t: TestContext, path: string): Promise<DataDirectory> {
  const directory = await ownDataDirectory(path, systemClock);
  t.after(() => directory.release());
  return directory;
}

async function assertRefused(path: string, exitCode: ExitCode, message: string | RegExp): Promise<void> {
  await assert.rejects(ownDataDirectory(path, systemClock), (error) => {
    assert.ok(error instanceof CommandError, String(error));
    if (typeof message === 'string') assert.equal(error.message, message);
    else assert.match(error.message, message);
    assert.equal(error.exitCode, exitCode);
    return true;
  });
}

const inUse = (path: string) =>
  `the data directory ${path} is in use by another opsdeck process; stop that one (pid ${process.pid}), or choose another directory`;

/** Number of open descriptors of this process on the path; undefined where there is no /proc. */
function descriptorsOn(path: string): number | undefined {
  if (!existsSync('/proc/self/fd')) return undefined;
  return readdirSync('/proc/self/fd').filter((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`) === path;
    } catch {
      return false;
    }
  }).length;
}

describe('a data directory', () => {
  test('is created if missing, for its owner alone', async (t) => {
    const path = join(temporaryFolder(t), 'a', 'b');
    const directory = await own(t, path);
    assert.equal(directory.path, path);
    for (const each of [path, join(path, '..')]) assert.equal(statSync(each).mode & 0o777, 0o700);
    assert.equal(statSync(join(path, 'owner.sock')).mode & 0o777, 0o600);
  });

  test('that exists and is open to other users is reported once, with the remedy', async (t) => {
    const path = temporaryFolder(t);
    const warnings: string[] = [];
    const visit = async () =>
      (await ownDataDirectory(path, systemClock, (message) => warnings.push(message))).release();
    await visit();
    chmodSync(path, 0o755);
    await visit();
    assert.deepEqual(warnings, [`the data directory ${path} is open to other users: chmod 700 ${path}`]);
    assert.equal(statSync(path).mode & 0o777, 0o755);
  });

  test('may be named relative to the working directory', async (t) => {
    const path = join(temporaryFolder(t), 'data');
    const directory = await own(t, relative(process.cwd(), path));
    assert.equal(directory.path, path);
    await assertRefused(path, 3, inUse(path));
  });

  test('has one owner: a second is refused', async (t) => {
    const path = temporaryFolder(t);
    await own(t, path);
    for (let round = 0; round < 3; round++) await assertRefused(path, 3, inUse(path));
    assert.deepEqual(readdirSync(path), ['owner.sock']);
  });

  test('is free, and as it was, once it is released', async (t) => {
    const path = temporaryFolder(t);
    writeFileSync(join(path, 'alerts.db'), 'kept');
    for (let round = 0; round < 3; round++) {
      const directory = await own(t, path);
      directory.release();
      assert.deepEqual(readdirSync(path), ['alerts.db']);
    }
  });

  test('released twice is not lost by its next owner', async (t) => {
    const path = temporaryFolder(t);
    const first = await own(t, path);
    first.release();
    await own(t, path);
    first.release();
    await assertRefused(path, 3, inUse(path));
  });

  test('may be gone when it is released', async (t) => {
    const path = join(temporaryFolder(t), 'data');
    const directory = await own(t, path);
    const { rmSync } = await import('node:fs');
    rmSync(path, { recursive: true });
    directory.release();
  });

  test('does not keep the process of its owner alive', async (t) => {
    const script = await bundleScript(`
      import { systemClock } from './clock.ts';
      import { ownDataDirectory } from './storage/data-directory.ts';
      process.stdout.write((await ownDataDirectory(process.argv[1], systemClock)).path);
    `);
    const path = temporaryFolder(t);
    const child = startChild(t, script, { args: [path] });
    assert.equal(await child.readLine(), path);
    assert.deepEqual(await child.end, { code: 0, signal: null, stderr: '' });
  });
});

const NEEDS_ROOT = process.geteuid?.() === 0 ? {} : { skip: 'only root can act as another user' };

describe('in a folder that all users may write to, another user cannot', NEEDS_ROOT, () => {
  const OTHER = 65_534;
  function sharedFolder(t: TestContext): string {
    const folder = temporaryFolder(t);
    chmodSync(folder, 0o1777);
    return folder;
  }

  test('plant a data directory, or a link to one', async (t) => {
    const folder = sharedFolder(t);
    const path = join(folder, 'data');
    mkdirSync(path);
    chownSync(path, OTHER, OTHER);
    await assertRefused(path, 1, /^refused to use .*data: it is a folder of another user \(uid 65534\); remove it/);
    const link = join(folder, 'link');
    symlinkSync(temporaryFolder(t), link);
    lchownSync(link, OTHER, OTHER);
    await assertRefused(link, 1, /^refused to use .*link: it is a link of another user/);
  });

  for (const name of ['owner.sock', 'owner-00000000.sock'])
    test(`pass for another opsdeck as ${name}`, async (t) => {
      const path = sharedFolder(t);
      const server = createServer().listen(join(path, name));
      t.after(() => server.close());
      await new Promise((done) => server.once('listening', done));
      chownSync(join(path, name), OTHER, OTHER);
      await assertRefused(
        path,
        1,
        /^refused to use .*owner.*: it is a socket of another user \(uid 65534\); remove it/,
      );
    });
});

describe('a data directory of a very long path', () => {
  /** Longer than the 108 bytes that the address of a socket has room for. */
  const longPath = (t: TestContext) => join(temporaryFolder(t), 'd'.repeat(100), 'ü'.repeat(50), 'data');

  test('is taken like any other', async (t) => {
    const path = longPath(t);
    const directory = await own(t, path);
    assert.deepEqual(readdirSync(path), ['owner.sock']);
    await assertRefused(path, 3, inUse(path));
    directory.release();
    assert.deepEqual(readdirSync(path), []);
    await own(t, path);
  });

  test('costs no descriptor that stays open', async (t) => {
    const path = longPath(t);
    const directory = await own(t, path);
    if (descriptorsOn(path) === undefined) return t.skip('there is no /proc');
    assert.equal(descriptorsOn(path), 0);
    for (let round = 0; round < 3; round++) await assertRefused(path, 3, inUse(path));
    assert.equal(descriptorsOn(path), 0);
    directory.release();
    assert.equal(descriptorsOn(path), 0);
  });
});

describe('a data directory that cannot be used is refused', () => {
  test('where a file stands in its place', async (t) => {
    const path = join(temporaryFolder(t), 'data');
    writeFileSync(path, '');
    const reason = 'it, or a part of its path, is a file';
    await assertRefused(path, 1, `cannot use the data directory ${path}: ${reason}`);
  });

  test('where a file is part of its path', async (t) => {
    const file = join(temporaryFolder(t), 'file');
    writeFileSync(file, '');
    const path = join(file, 'data');
    const reason = 'it, or a part of its path, is a file';
    await assertRefused(path, 1, `cannot use the data directory ${path}: ${reason}`);
  });

  test('where a directory has the name of its socket', async (t) => {
    const path = temporaryFolder(t);
    mkdirSync(join(path, 'owner.sock'));
    await assertRefused(path, 1, new RegExp(`^cannot use the data directory ${path}: .*owner\\.sock`));
    assert.deepEqual(readdirSync(path), ['owner.sock']);
  });

  test('where this user may not write', async (t) => {
    const script = await bundleScript(`
      import { systemClock } from './clock.ts';
      import { ownDataDirectory } from './storage/data-directory.ts';
      for (const path of process.argv.slice(1)) {
        const said = await ownDataDirectory(path, systemClock).then(() => 'taken', (error) => error.exitCode + ' ' + error.message);
        process.stdout.write(said + '\\n');
      }
    `);
    const folder = temporaryFolder(t);
    const path = join(folder, 'data');
    mkdirSync(path);
    for (const each of [path, folder]) chmodSync(each, 0o555);
    // Root may write everywhere.
    const child = startChild(t, script, {
      args: [path, join(path, 'new')],
      ...(process.getuid?.() === 0 ? { uid: 65_534 } : {}),
    });
    for (const each of [path, join(path, 'new')])
      assert.equal(await child.readLine(), `1 cannot use the data directory ${each}: this user may not write there`);
    assert.equal((await child.end).stderr, '');
    for (const each of [folder, path]) chmodSync(each, 0o755);
  });
});

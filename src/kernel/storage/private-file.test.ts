import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  lchownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { temporaryFolder } from '../../testing/processes.ts';
import { CommandError } from '../errors.ts';
import {
  createPrivateFile,
  makePrivateFolder,
  openness,
  openPrivateFile,
  readPrivateFile,
  statFolder,
  writePrivateFile,
} from './private-file.ts';

const { O_CREAT, O_RDWR } = constants;
/** The user `nobody`. */
const OTHER = 65_534;
const isRoot = process.geteuid?.() === 0;
const NEEDS_ROOT = isRoot ? {} : { skip: 'only root can act as another user' };

const modeOf = (path: string) => lstatSync(path).mode & 0o777;

/** A folder that every user may write to, such as /tmp. */
function sharedFolder(t: TestContext): string {
  const folder = temporaryFolder(t);
  chmodSync(folder, 0o1777);
  return folder;
}

const refused = (why: RegExp) => (error: unknown) => {
  assert.ok(error instanceof CommandError, String(error));
  assert.match(error.message, /^refused to use .*; remove it, or give it to the user of this process with chown/);
  assert.match(error.message, why);
  return true;
};

describe('a file of state', () => {
  test('is created for its user alone, whatever the umask', (t) => {
    const folder = temporaryFolder(t);
    const before = process.umask(0);
    t.after(() => process.umask(before));
    closeSync(openPrivateFile(join(folder, 'a'), O_RDWR | O_CREAT));
    closeSync(createPrivateFile(join(folder, 'b')));
    writePrivateFile(join(folder, 'c'), 'text');
    for (const name of ['a', 'b', 'c']) assert.equal(modeOf(join(folder, name)), 0o600);
  });

  test('readable by other users is closed to them when it is opened', (t) => {
    const path = join(temporaryFolder(t), 'state');
    writeFileSync(path, 'kept');
    chmodSync(path, 0o664);
    assert.equal(readPrivateFile(path).toString(), 'kept');
    assert.equal(modeOf(path), 0o600);
  });

  test('may be a link that its user has made', (t) => {
    const folder = temporaryFolder(t);
    writeFileSync(join(folder, 'target'), 'kept');
    symlinkSync('target', join(folder, 'state'));
    assert.equal(readPrivateFile(join(folder, 'state')).toString(), 'kept');
  });

  test('is not opened where a pipe or a socket stands in its place, without waiting for it', async (t) => {
    const folder = temporaryFolder(t);
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const server = createServer().listen(join(folder, 'socket'));
    t.after(() => server.close());
    await new Promise((done) => server.once('listening', done));
    assert.throws(() => readPrivateFile(join(folder, 'pipe')), refused(/it is a pipe or a socket/));
    assert.throws(() => openPrivateFile(join(folder, 'pipe'), O_RDWR), refused(/it is a pipe or a socket/));
    assert.throws(() => openPrivateFile(join(folder, 'socket'), O_RDWR), refused(/it is a pipe or a socket/));
  });

  test('with another name is refused where another user can have linked it, and nowhere else', (t) => {
    const folder = temporaryFolder(t);
    writeFileSync(join(folder, 'precious'), 'kept');
    linkSync(join(folder, 'precious'), join(folder, 'state'));
    closeSync(openPrivateFile(join(folder, 'state'), O_RDWR));
    chmodSync(folder, 0o1777);
    assert.throws(() => openPrivateFile(join(folder, 'state'), O_RDWR), refused(/other names/));
  });

  test('replaces a link without a change of its target', (t) => {
    const folder = temporaryFolder(t);
    writeFileSync(join(folder, 'precious'), 'kept');
    symlinkSync('precious', join(folder, 'state.new'));
    writePrivateFile(join(folder, 'state.new'), 'state');
    assert.equal(readFileSync(join(folder, 'precious'), 'utf8'), 'kept');
    assert.ok(lstatSync(join(folder, 'state.new')).isFile());
  });
});

describe('a path of another user in the place of state is refused', NEEDS_ROOT, () => {
  test('as a link, and nothing is made where it leads', (t) => {
    const folder = sharedFolder(t);
    const path = join(folder, 'state');
    symlinkSync(join(folder, 'target'), path);
    lchownSync(path, OTHER, OTHER);
    assert.throws(() => openPrivateFile(path, O_RDWR | O_CREAT), refused(/a link of another user \(uid 65534\)/));
    assert.equal(existsSync(join(folder, 'target')), false);
    writeFileSync(join(folder, 'target'), 'kept');
    chmodSync(join(folder, 'target'), 0o644);
    assert.throws(() => readPrivateFile(path), refused(/a link of another user/));
    assert.equal(modeOf(join(folder, 'target')), 0o644);
  });

  test('as a file', (t) => {
    const path = join(sharedFolder(t), 'state');
    writeFileSync(path, 'an account for me');
    chownSync(path, OTHER, OTHER);
    assert.throws(() => readPrivateFile(path), refused(/a file of another user \(uid 65534\)/));
  });

  test('as a folder, or a link to one', (t) => {
    const folder = sharedFolder(t);
    mkdirSync(join(folder, 'files'));
    chownSync(join(folder, 'files'), OTHER, OTHER);
    mkdirSync(join(folder, 'precious'), { mode: 0o755 });
    symlinkSync('precious', join(folder, 'link'));
    lchownSync(join(folder, 'link'), OTHER, OTHER);
    assert.throws(() => makePrivateFolder(join(folder, 'files')), refused(/a folder of another user/));
    assert.throws(() => makePrivateFolder(join(folder, 'link')), refused(/a link of another user/));
    assert.equal(modeOf(join(folder, 'precious')), 0o755);
  });

  test('except one of the owner of the folder, which is accepted and left as it is', (t) => {
    const folder = temporaryFolder(t);
    const path = join(folder, 'state');
    writeFileSync(path, 'kept');
    chmodSync(path, 0o640);
    for (const each of [folder, path]) chownSync(each, OTHER, OTHER);
    assert.equal(readPrivateFile(path).toString(), 'kept');
    assert.equal(modeOf(path), 0o640);
  });
});

describe('a folder of state', () => {
  test('is created for its user alone, and one open to other users is closed to them', (t) => {
    const path = join(temporaryFolder(t), 'files');
    makePrivateFolder(path);
    assert.equal(modeOf(path), 0o700);
    chmodSync(path, 0o755);
    makePrivateFolder(path);
    assert.equal(modeOf(path), 0o700);
  });

  test('may lie elsewhere, behind a link of its user', (t) => {
    const folder = temporaryFolder(t);
    mkdirSync(join(folder, 'disk'), { mode: 0o755 });
    symlinkSync('disk', join(folder, 'files'));
    makePrivateFolder(join(folder, 'files'));
    assert.equal(modeOf(join(folder, 'disk')), 0o755);
  });

  test('open or writable to other users is reported, with the remedy', (t) => {
    const folder = temporaryFolder(t);
    const reported = (mode: number) => {
      chmodSync(folder, mode);
      return openness(folder, statFolder(folder));
    };
    assert.equal(reported(0o700), undefined);
    assert.equal(reported(0o755), `is open to other users: chmod 700 ${folder}`);
    for (const mode of [0o770, 0o777, 0o1777])
      assert.equal(reported(mode), `is open to other users, who can replace its files: chmod 700 ${folder}`);
  });

  test('of another user is reported, where that user cannot have planted it', NEEDS_ROOT, (t) => {
    const path = join(temporaryFolder(t), 'data');
    mkdirSync(path, { mode: 0o700 });
    chownSync(path, OTHER, OTHER);
    assert.match(openness(path, statFolder(path)) ?? '', /^belongs to another user \(uid 65534\), who can .* chown/);
    assert.equal(statSync(path).uid, OTHER);
  });
});

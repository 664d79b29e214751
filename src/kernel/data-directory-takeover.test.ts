import assert from 'node:assert/strict';
import { linkSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { bundleScript, type Child, startChild } from '../testing/child-script.ts';
import { isLongRound } from '../testing/long-round.ts';
import { temporaryFolder } from '../testing/processes.ts';
import { systemClock } from './clock.ts';
import { type DataDirectory, ownDataDirectory } from './storage/data-directory.ts';

/** Takes and releases directories on request. */
const script = bundleScript(`
  import { createInterface } from 'node:readline';
  import { systemClock } from './clock.ts';
  import { ownDataDirectory } from './storage/data-directory.ts';

  let owned;
  const take = (path) =>
    ownDataDirectory(path, systemClock).then(
      (directory) => {
        owned = directory;
        return 'won';
      },
      (error) => 'refused with ' + error.exitCode + ': ' + error.message,
    );
  for await (const path of createInterface(process.stdin)) {
    owned?.release();
    owned = undefined;
    process.stdout.write((path === '' ? 'released' : await take(path)) + '\\n');
  }
`);

async function startContender(t: TestContext): Promise<Child> {
  return startChild(t, await script);
}

async function ask(contender: Child, path: string): Promise<string | undefined> {
  contender.send(path);
  return contender.readLine();
}

async function own(t: TestContext, path: string): Promise<DataDirectory> {
  const directory = await ownDataDirectory(path, systemClock);
  t.after(() => directory.release());
  return directory;
}

/** A folder with the socket of an owner that was killed. */
async function crashedFolder(t: TestContext): Promise<string> {
  const path = temporaryFolder(t);
  const owner = await startContender(t);
  assert.equal(await ask(owner, path), 'won');
  owner.kill('SIGKILL');
  await owner.end;
  assert.ok(statSync(join(path, 'owner.sock')).isSocket());
  return path;
}

/** Listens under a name in the directory, as another process would. */
async function listenAs(t: TestContext, path: string, name: string): Promise<Server> {
  const server = createServer((connection) => connection.destroy());
  t.after(() => server.close());
  await new Promise<void>((done) => server.listen(join(path, name), done));
  return server;
}

const IN_USE = {
  exitCode: 3,
  message: /is in use by another opsdeck process; stop that one( \(pid \d+\))?, or choose another/,
};

describe('after a kill', () => {
  test('the next process takes over', async (t) => {
    const path = await crashedFolder(t);
    await own(t, path);
    await assert.rejects(ownDataDirectory(path, systemClock), IN_USE);
    assert.deepEqual(readdirSync(path), ['owner.sock']);
  });

  test('a start cut short by the kill blocks no other, and is cleaned up', async (t) => {
    const path = await crashedFolder(t);
    for (const name of ['owner-00000000.sock', 'owner-ffffffff.sock'])
      linkSync(join(path, 'owner.sock'), join(path, name));
    await own(t, path);
    assert.deepEqual(readdirSync(path), ['owner.sock']);
  });

  test('any other file with the name of the socket is not an owner', async (t) => {
    const path = temporaryFolder(t);
    writeFileSync(join(path, 'owner.sock'), 'restored from a backup');
    await own(t, path);
    assert.ok(statSync(join(path, 'owner.sock')).isSocket());
  });

  test('of processes that start together exactly one wins', { only: isLongRound }, async (t) => {
    const crashed = join(await crashedFolder(t), 'owner.sock');
    const folder = temporaryFolder(t);
    const contenders = await Promise.all([1, 2, 3].map(() => startContender(t)));
    const winners = new Set<number>();
    for (let round = 0; round < (isLongRound ? 40 : 12); round++) {
      const path = join(folder, String(round));
      mkdirSync(path);
      linkSync(crashed, join(path, 'owner.sock'));
      const said = await Promise.all(contenders.map((contender) => ask(contender, path)));
      const lost = said.filter((each) => each?.startsWith(`refused with 3: the data directory ${path} is in use`));
      assert.deepEqual(
        [said.filter((each) => each === 'won').length, lost.length],
        [1, 2],
        `${round}: ${said.join('; ')}`,
      );
      assert.deepEqual(readdirSync(path), ['owner.sock']);
      winners.add(said.indexOf('won'));
    }
    assert.ok(winners.size > 1, 'they did contend');
  });
});

describe('an owner', () => {
  test('that is stopped, and does not answer, is still the owner', async (t) => {
    const path = temporaryFolder(t);
    const owner = await startContender(t);
    assert.equal(await ask(owner, path), 'won');
    owner.kill('SIGSTOP');
    await assert.rejects(ownDataDirectory(path, systemClock), IN_USE);
    owner.kill('SIGCONT');
    assert.equal(await ask(owner, ''), 'released');
    await own(t, path);
  });
});

describe('of two candidates', () => {
  test('the one with the greater name gives way at once', async (t) => {
    const path = temporaryFolder(t);
    await listenAs(t, path, 'owner-00000000.sock');
    const after = () => assert.fail('it waits');
    await assert.rejects(ownDataDirectory(path, { ...systemClock, after }), IN_USE);
    assert.deepEqual(readdirSync(path), ['owner-00000000.sock']);
  });

  test('one with a small number has a name that others see', async (t) => {
    const path = temporaryFolder(t);
    t.mock.method(Math, 'random', () => 2 ** -32);
    await listenAs(t, path, 'owner-ffffffff.sock');
    const names = new Set<string>();
    const after = (_: number, action: () => void) => {
      for (const name of readdirSync(path)) names.add(name);
      setImmediate(action);
      return () => {};
    };
    await assert.rejects(ownDataDirectory(path, { ...systemClock, after }), IN_USE);
    assert.deepEqual([...names], ['owner-00000001.sock', 'owner-ffffffff.sock']);
  });

  test('the other waits for it to give way', async (t) => {
    const path = temporaryFolder(t);
    const rival = await listenAs(t, path, 'owner-ffffffff.sock');
    // Nothing but the waiting keeps this process alive.
    const waits = await bundleScript(`
      import { systemClock } from './clock.ts';
      import { ownDataDirectory } from './storage/data-directory.ts';
      await ownDataDirectory(process.argv[1], systemClock);
      process.stdout.write('won\\n');
      await new Promise((done) => process.stdin.once('data', done));
    `);
    const seen = new Promise((done) => rival.once('connection', done));
    const child = startChild(t, waits, { args: [path] });
    await seen;
    rival.close();
    assert.equal(await child.readLine(), 'won');
    assert.deepEqual(readdirSync(path), ['owner.sock']);
  });

  test('the other fails if the first neither gives way nor becomes the owner', async (t) => {
    const path = temporaryFolder(t);
    await listenAs(t, path, 'owner-ffffffff.sock');
    let waitedMs = 0;
    const after = (ms: number, action: () => void) => {
      waitedMs += ms;
      setImmediate(action);
      return () => {};
    };
    await assert.rejects(ownDataDirectory(path, { ...systemClock, after }), IN_USE);
    assert.equal(waitedMs, 5_000);
    assert.deepEqual(readdirSync(path), ['owner-ffffffff.sock']);
  });
});

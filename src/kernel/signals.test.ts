import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { bundleScript, type Child, startChild } from '../testing/child-script.ts';

/** Prints its signals, and ends by itself once it is stopped and its input has a line. */
const script = bundleScript(`
  import { untilStopped } from './signals.ts';

  const say = (line: string) => process.stdout.write(line + '\\n');
  const stopped = untilStopped(process.argv[1] === 'hangups' ? () => say('hangup') : undefined);
  // A signal alone keeps no process alive; a server does.
  const server = setInterval(() => {}, 60_000);
  say('ready');
  await stopped;
  say('stopped');
  await new Promise((done) => process.stdin.once('data', done));
  process.stdin.destroy();
  clearInterval(server);
`);

async function start(t: TestContext, ...args: string[]): Promise<Child> {
  const child = startChild(t, await script, { args });
  assert.equal(await child.readLine(), 'ready');
  return child;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`${signal} stops in an orderly way, and the process ends with 0`, async (t) => {
    const child = await start(t);
    child.kill(signal);
    assert.equal(await child.readLine(), 'stopped');
    child.send('go on');
    assert.deepEqual(await child.end, { code: 0, signal: null, stderr: '' });
  });

  test(`${signal} while it is stopping ends the process at once`, async (t) => {
    const child = await start(t);
    child.kill('SIGTERM');
    assert.equal(await child.readLine(), 'stopped');
    child.kill(signal);
    assert.deepEqual(await child.end, { code: 1, signal: null, stderr: '' });
  });
}

test('each SIGHUP calls its handler, and ends nothing', async (t) => {
  const child = await start(t, 'hangups');
  for (let round = 0; round < 2; round++) {
    child.kill('SIGHUP');
    assert.equal(await child.readLine(), 'hangup');
  }
  child.kill('SIGTERM');
  assert.equal(await child.readLine(), 'stopped');
  child.kill('SIGHUP');
  assert.equal(await child.readLine(), 'hangup');
  child.send('go on');
  assert.equal((await child.end).code, 0);
});

test('a SIGHUP without a handler does nothing', async (t) => {
  const child = await start(t);
  child.kill('SIGHUP');
  child.kill('SIGTERM');
  assert.equal(await child.readLine(), 'stopped');
  child.send('go on');
  assert.equal((await child.end).code, 0);
});

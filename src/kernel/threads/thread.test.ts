import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../testing/fake/clock.ts';
import { createLog } from '../log.ts';
import { executableFile, ownProgram, startThread } from './thread.ts';

const log = createLog({ level: 'debug', format: 'logfmt', clock: new FakeClock(0), write: () => {} });

test('a thread that ends by itself is reported as a failure, a stopped one is not', async () => {
  assert.equal(executableFile, undefined, 'tests are no executable');
  assert.equal(ownProgram, undefined);
  const text = `const { parentPort, workerData } = require('node:worker_threads');
     parentPort.on('message', ({ id, method }) => {
       if (method === 'fail') throw new Error('out of ' + workerData.options.what);
       parentPort.postMessage({ id, value: workerData.opsdeckThread });
     });`;
  const start = () => {
    const options = { what: 'luck' };
    return startThread<{ name(): Promise<string>; fail(): Promise<void> }>({
      program: { text },
      name: 'a thread',
      options,
      log,
      revive: () => undefined,
    });
  };
  const dying = start();
  assert.equal(await dying.methods.name(), 'a thread');
  await assert.rejects(dying.methods.fail(), /the thread of a thread ended: out of luck/);
  assert.match((await dying.died).message, /out of luck/);
  await dying.end();
  const ending = start();
  let died = false;
  void ending.died.then(() => {
    died = true;
  });
  await ending.methods.name();
  await ending.end();
  assert.equal(died, false);
});

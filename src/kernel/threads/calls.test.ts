import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { FakeClock } from '../../testing/fake/clock.ts';
import { CommandError } from '../errors.ts';
import { createLog } from '../log.ts';
import { answerCalls, Caller, callerProxy, logOver } from './calls.ts';

class OddError extends Error {
  override readonly name = 'OddError';
}

function logged() {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  return { lines, log: createLog({ level: 'debug', format: 'logfmt', clock: new FakeClock(0), write }) };
}

/** The methods of an object, over a port. */
function overPort<T extends object>(t: TestContext, methods: T) {
  const { port1, port2 } = new MessageChannel();
  t.after(() => port1.close());
  answerCalls(port1, methods);
  const { lines, log } = logged();
  const revive = ({ name, message }: Pick<Error, 'name' | 'message'>) =>
    name === 'OddError' ? new OddError(message) : undefined;
  const caller = new Caller(port2, { log, revive });
  return { far: callerProxy<T>(caller), caller, lines, port: port1 };
}

test('calls begin in their order, and each gets its own answer', async (t) => {
  const begun: number[] = [];
  const { far } = overPort(t, {
    async double(value: number): Promise<number> {
      begun.push(value);
      for (let turn = 0; turn < 10 - value; turn++) await new Promise<void>((done) => setImmediate(done));
      return value * 2;
    },
  });
  const values = Array.from({ length: 10 }, (_, index) => index);
  assert.deepEqual(
    await Promise.all(values.map((value) => far.double(value))),
    values.map((value) => value * 2),
  );
  assert.deepEqual(begun, values);
});

test('arguments and answers are copied with their shapes', async (t) => {
  const { far } = overPort(t, { echo: async (...values: readonly unknown[]) => values });
  const values = [new Map([['a', 1]]), new Uint8Array([1, 2]), undefined, null, { deep: [{ x: '\0' }] }];
  assert.deepEqual(await far.echo(...values), values);
});

test('errors keep their class and code', async (t) => {
  const { far } = overPort(t, {
    async odd() {
      throw new OddError('odd');
    },
    async command() {
      throw new CommandError('in use', 3);
    },
    async system() {
      throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
    },
    uncloneable: async () => () => {},
  });
  await assert.rejects(far.odd(), (error) => error instanceof OddError && error.message === 'odd');
  await assert.rejects(far.command(), (error) => error instanceof CommandError && error.exitCode === 3);
  await assert.rejects(far.system(), { message: 'no such file', code: 'ENOENT' });
  await assert.rejects(far.uncloneable(), /could not be cloned/);
  await assert.rejects((far as unknown as { unknown(): Promise<void> }).unknown());
});

test('lines of the log are written at the other end', async (t) => {
  const { far, lines, port } = overPort(t, { wait: async () => {} });
  logOver(port).warn('it is late', { at: 7 });
  await far.wait();
  assert.match(lines.join(''), /level=WARN msg="it is late" at=7\n$/);
});

test('calls that wait when the other end is gone are rejected, and so are later ones', async (t) => {
  const { far, caller } = overPort(t, { never: () => new Promise<void>(() => {}) });
  const waiting = far.never();
  caller.end(new Error('it is gone'));
  await assert.rejects(waiting, /it is gone/);
  await assert.rejects(far.never(), /it is gone/);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../../kernel/log.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import type { NumberedStatus } from './store/contract.ts';
import type { startAgentStore } from './store/thread.ts';
import { AgentUsage } from './usage.ts';

test('a thread that dies is started again, with its database under suspicion', async () => {
  const clock = new FakeClock();
  let logged = '';
  let isLogged = () => {};
  const dead = new Promise<void>((resolve) => {
    isLogged = resolve;
  });
  const write = (text: string) => {
    logged += text;
    isLogged();
  };
  const log = createLog({ level: 'info', format: 'logfmt', clock, write });
  const suspicions: (boolean | undefined)[] = [];
  let dies = (_: Error) => {};
  const start = ((options) => {
    suspicions.push(options.isSuspect);
    const status = { version: suspicions.length, agents: [], unknownModels: [], prices: { asOf: null } };
    const next = new Promise<NumberedStatus>((_, reject) => {
      dies = reject;
    });
    const methods = {
      status: async (seen: number) => (seen === 0 ? { number: 1, status } : next),
      count: async () => suspicions.length,
      close: async () => {},
    };
    return { methods, died: new Promise(() => {}), end: async () => {} } as never;
  }) as typeof startAgentStore;
  const options = { agents: [], env: {}, home: '/', dataDir: '/', log, clock };
  const usage = await AgentUsage.open(options, start);
  await usage.firstReading();
  const changed = new Promise((resolve) => usage.onChange(resolve));
  dies(new Error('out of memory'));
  await dead;
  assert.match(logged, /level=ERROR msg="the reader of the logs of coding assistants has ended; .*out of memory/);
  clock.advance(5_000);
  assert.equal(await changed, 2);
  assert.deepEqual([suspicions, usage.version, await usage.count('claude')], [[undefined, true], 2, 2]);
  await usage.close();
});

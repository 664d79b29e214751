import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../../kernel/log.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { settlePromises } from '../../testing/pipeline-parts.ts';
import type { SenderMethods } from './notification-sender.ts';
import { watchSender } from './sender-watch.ts';

/** A watched sender, whose process answers as long as it is not stopped. */
function createWatched() {
  const clock = new FakeClock();
  const logged: string[] = [];
  const log = createLog({ level: 'info', format: 'logfmt', clock, write: (line) => logged.push(line) });
  const happened: string[] = [];
  let isStopped = false;
  let die = (_: Error) => {};
  const died = new Promise<Error>((resolve) => {
    die = resolve;
  });
  const ready = async () => {
    happened.push('asked');
    if (isStopped) await new Promise(() => {});
  };
  const kill = () => {
    happened.push('killed');
    die(new Error('SIGKILL'));
  };
  const end = async () => void happened.push('ended');
  const watched = watchSender({ methods: { ready } as SenderMethods, died, end, kill }, clock, log);
  const advance = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      clock.advance(1_000);
      await settlePromises();
    }
  };
  const setStopped = (stopped: boolean) => {
    isStopped = stopped;
  };
  return { watched, advance, setStopped, clock, happened, logged };
}

test('a sender that answers is left alone', async () => {
  const { advance, setStopped, happened } = createWatched();
  await advance(100);
  setStopped(true);
  await advance(50);
  setStopped(false);
  await advance(100);
  assert.deepEqual(new Set(happened), new Set(['asked']));
});

test('one that answers nothing for a minute is killed once, which is told', async () => {
  const { advance, setStopped, happened, logged } = createWatched();
  setStopped(true);
  await advance(69);
  assert.equal(happened.includes('killed'), false);
  await advance(100);
  assert.equal(happened.filter((what) => what === 'killed').length, 1);
  assert.equal(happened.at(-1), 'killed');
  assert.match(
    logged.join(),
    /level=ERROR msg="The process that sends notifications has answered nothing for a minute/,
  );
});

test('one that was asked to end is asked nothing more', async () => {
  const { watched, advance, happened } = createWatched();
  await watched.end();
  await advance(100);
  assert.deepEqual(happened, ['ended']);
});

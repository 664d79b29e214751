import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StepRunner } from './step-runner.ts';

const nextTask = () => new Promise<void>((resolve) => setImmediate(resolve));

test('steps run in their order, each in a task of its own', async () => {
  const log: string[] = [];
  const done = new StepRunner(nextTask).run([
    () => {
      log.push('first');
      queueMicrotask(() => log.push('after the first'));
    },
    () => void log.push('second'),
  ]);
  log.push('asked');
  await done;
  assert.deepEqual(log, ['asked', 'first', 'after the first', 'second']);
});

test('a later run takes the place of an earlier one, also in the middle', async () => {
  const runner = new StepRunner(nextTask);
  const log: string[] = [];
  let later = Promise.resolve();
  await runner.run([
    () => {
      log.push('old');
      later = runner.run([() => void log.push('new')]);
    },
    () => void log.push('too late'),
  ]);
  await later;
  assert.deepEqual(log, ['old', 'new']);
});

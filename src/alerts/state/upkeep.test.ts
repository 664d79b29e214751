import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE } from '../testing/parts.ts';
import { createTestPipeline, settlePromises } from '../testing/pipeline/parts.ts';
import { startMaintenance } from './maintenance.ts';
import { Upkeep } from './upkeep.ts';

function createUpkeep() {
  const collectedAt: number[] = [];
  const failing = { collection: false, count: false };
  const upkeep = new Upkeep({
    async collectGarbage(now) {
      collectedAt.push(now);
      if (failing.collection) throw new Error('no collection');
    },
    async countBytes() {
      if (failing.count) throw new Error('no count');
      return 100 * collectedAt.length;
    },
  });
  const { collections } = upkeep;
  const numbers = () => [upkeep.runs, upkeep.failures, collections.count, upkeep.failedCollections, upkeep.storedBytes];
  return { upkeep, failing, collectedAt, numbers };
}

test('each run collects garbage, and then looks how much is left', async () => {
  const { upkeep, collectedAt, numbers } = createUpkeep();
  assert.deepEqual(numbers(), [0, 0, 0, 0, 0]);
  await upkeep.run(1);
  await upkeep.run(2);
  assert.deepEqual(
    [collectedAt, numbers()],
    [
      [1, 2],
      [2, 0, 2, 0, 200],
    ],
  );
  assert.ok(upkeep.collections.sum > 0);
});

test('a failed run is returned to its caller and counted, by its failed part', async () => {
  const { upkeep, failing, numbers } = createUpkeep();
  await upkeep.run(1);
  failing.collection = true;
  await assert.rejects(upkeep.run(2), /no collection/);
  assert.deepEqual(numbers(), [2, 1, 2, 1, 100]);
  failing.collection = false;
  failing.count = true;
  await assert.rejects(upkeep.run(3), /no count/);
  assert.deepEqual(numbers(), [3, 2, 3, 1, 100]);
});

test('the server maintains its silences and its notification log at each interval', async () => {
  const { state, clock, log } = createTestPipeline();
  const stop = startMaintenance({
    options: { maintenanceIntervalMs: 15 * MINUTE, gcIntervalMs: 30 * MINUTE },
    ...{ state, clock, log },
  });
  clock.advance(45 * MINUTE - 1);
  await settlePromises();
  const runs = () => [state.silenceUpkeep, state.notificationLogUpkeep].map(({ runs, failures }) => [runs, failures]);
  assert.deepEqual(runs(), [
    [2, 0],
    [2, 0],
  ]);
  stop();
  clock.advance(MINUTE);
  assert.deepEqual(runs(), [
    [2, 0],
    [2, 0],
  ]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../testing/fake/clock.ts';
import { WriteBehind } from './write-behind.ts';

const turn = () => new Promise((done) => setImmediate(done));

function createBehind() {
  const clock = new FakeClock(0);
  const held: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const disk = { pending: 0, writes: [] as number[], failures: [] as unknown[], recoveries: [] as number[] };
  const behind = new WriteBehind({
    clock,
    delayMs: 500,
    retryMs: 5_000,
    isPending: () => disk.pending > 0,
    async write() {
      const taken = disk.pending;
      disk.pending = 0;
      disk.writes.push(clock.now());
      try {
        await new Promise<void>((resolve, reject) => held.push({ resolve, reject }));
      } catch (error) {
        disk.pending += taken;
        throw error;
      }
    },
    failed: (error) => disk.failures.push(error),
    recovered: () => disk.recoveries.push(clock.now()),
  });
  const change = () => {
    disk.pending++;
    behind.soon();
  };
  /** Ends the write that is under way. */
  const settle = async (error?: Error) => {
    const write = held.shift();
    if (error) write?.reject(error);
    else write?.resolve();
    await turn();
  };
  return { clock, disk, behind, change, settle };
}

test('changes that come together are written together, when the first has waited its delay', async () => {
  const { clock, disk, change, settle } = createBehind();
  change();
  clock.advance(400);
  change();
  clock.advance(99);
  assert.deepEqual(disk.writes, []);
  clock.advance(1);
  assert.deepEqual(disk.writes, [500]);
  await settle();
  clock.advance(10_000);
  assert.deepEqual(disk.writes, [500], 'nothing is pending');
});

test('there is one write at a time; changes meanwhile follow a delay after it', async () => {
  const { clock, disk, change, settle } = createBehind();
  change();
  clock.advance(500);
  change();
  clock.advance(3_000);
  assert.deepEqual(disk.writes, [500]);
  await settle();
  clock.advance(500);
  assert.deepEqual(disk.writes, [500, 4_000]);
  await settle();
});

test('a failed write is reported and retried, but not sooner for changes meanwhile', async () => {
  const { clock, disk, change, settle } = createBehind();
  const full = new Error('disk full');
  change();
  clock.advance(500);
  await settle(full);
  assert.deepEqual(disk.failures, [full]);
  change();
  clock.advance(4_999);
  assert.deepEqual(disk.writes, [500]);
  clock.advance(1);
  assert.deepEqual(disk.writes, [500, 5_500]);
  await settle();
  assert.equal(disk.pending, 0);
});

test('failures are reported when they begin and when their reason changes, and once when a write succeeds again', async () => {
  const { clock, disk, change, settle } = createBehind();
  const [full, broken] = [new Error('disk full'), new Error('disk broken')];
  change();
  clock.advance(500);
  for (const error of [full, full, broken, broken]) {
    await settle(error);
    clock.advance(5_000);
  }
  assert.deepEqual([disk.failures, disk.recoveries], [[full, broken], []]);
  await settle();
  assert.deepEqual(disk.recoveries, [20_500]);
  change();
  clock.advance(500);
  await settle();
  assert.deepEqual(disk.recoveries, [20_500]);
  change();
  clock.advance(500);
  await settle(full);
  assert.deepEqual(disk.failures, [full, broken, full]);
});

test('a flush that writes what had failed is a recovery', async () => {
  const { clock, disk, behind, change, settle } = createBehind();
  change();
  clock.advance(500);
  await settle(new Error('disk full'));
  const flushed = behind.flush();
  await turn();
  await settle();
  await flushed;
  assert.deepEqual(disk.recoveries, [500]);
});

test('a flush writes at once, after the write under way, and leaves no later write', async () => {
  const { clock, disk, behind, change, settle } = createBehind();
  change();
  clock.advance(500);
  change();
  const flushed = behind.flush();
  await turn();
  assert.deepEqual(disk.writes, [500]);
  await settle();
  assert.deepEqual(disk.writes, [500, 500]);
  await settle();
  await flushed;
  clock.advance(60_000);
  assert.deepEqual(disk.writes, [500, 500]);
});

test('a flush that cannot write is rejected', async () => {
  const { behind, change, settle } = createBehind();
  change();
  const flushed = assert.rejects(behind.flush(), /disk full/);
  await turn();
  await settle(new Error('disk full'));
  await flushed;
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../../testing/eventually.ts';
import { FakeClock } from '../../../testing/fake/clock.ts';
import type { Change } from '../../domain/change.ts';
import { accepted, type Outcome, refuse } from '../../domain/refusal.ts';
import type { Run } from '../../domain/run/run.ts';
import type { JobLease } from '../../nodes/jobs.ts';
import type { RoomState } from '../../room/state.ts';
import { ROOM_ID, roomOf, viewOf } from '../../testing/copilot/parts.ts';
import { strictLog } from '../../testing/nodes.ts';
import { newRun } from '../../testing/store/parts.ts';
import { ModelHealth } from '../model/health.ts';
import { RunAudience } from './audience.ts';
import { RunPieces } from './pieces.ts';
import { RunWorker, type RunWorkerParts } from './worker.ts';

const AWAY = refuse('storage_unavailable', 'PostgreSQL is away');
const queued = newRun({ roomId: ROOM_ID, state: 'queued', audience: 'ana', text: null });
const started = { ...queued, state: 'running' } as const;
const finished = { ...queued, state: 'complete' } as const;

/** A run whose writes are answered in turn; `stored`: what the database then has. */
function perform(answers: readonly Outcome<Run>[], stored: Run = started) {
  const clock = new FakeClock();
  const fences: number[] = [];
  const lost: string[] = [];
  const ended: Run[] = [];
  let fence = 1;
  let isReleased = false;
  const lease: JobLease = {
    get fences() {
      return [{ id: 'run/run-1', fence }];
    },
    isHeld: true,
    lost: new AbortController().signal,
    confirm: async () => true,
    settle: async () => {
      fence++;
      return true;
    },
    release: async () => {
      isReleased = true;
    },
  };
  const audience = new RunAudience({ announce: () => {} });
  audience.watch(queued.id, { delta: () => {}, replaced: () => {}, finished: (run) => void ended.push(run) });
  const parts = {
    clock,
    log: strictLog,
    state: viewOf(roomOf()) as RoomState,
    store: { run: async () => stored },
    writer: {
      submit: async ({ fences: [under] = [] }: Change<unknown>) => answers[fences.push(under?.fence ?? 0) - 1],
    },
    health: new ModelHealth(),
    jobs: { isShared: true },
    audience,
    pieces: new RunPieces(() => {}, clock),
    runningElsewhere: () => 0,
    lost: ({ run }: { run: Run }) => void lost.push(run.state),
    targets: { find: async () => ({ kind: 'echo', model: 'echo' }), nameOf: () => 'echo' },
    prompts: { gather: async () => ({ system: '', turns: [], saw: [] }) },
    providers: {
      echo: {
        async *stream() {
          yield { kind: 'text', text: 'well' };
          yield { kind: 'finish', reason: 'stop' };
        },
      },
    },
    maxBodyBytes: 1_000,
    random: () => 0,
  };
  new RunWorker(parts as unknown as RunWorkerParts).add(queued, 10, lease);
  const done = () =>
    eventually('the run is over here', () => {
      clock.advance(1_000);
      return isReleased;
    });
  return { fences, lost, ended, done };
}

test('an end whose answer was lost is not written again if it was written', async () => {
  const { fences, lost, ended, done } = perform([accepted(started), AWAY], finished);
  await done();
  assert.deepEqual([fences, lost, ended], [[1, 1], [], [{ ...finished, text: 'well' }]]);
});

test('otherwise it is written again, under a new fence, which the lost one does not pass', async () => {
  const { fences, lost, ended, done } = perform([accepted(started), AWAY, AWAY, accepted(finished)]);
  await done();
  assert.deepEqual([fences, lost, ended], [[1, 1, 2, 3], [], [{ ...finished, text: 'well' }]]);
});

test('a run under a lost lease is left to its new node', async () => {
  const { fences, lost, ended, done } = perform([accepted(started), refuse('lease_lost', 'lost')]);
  await done();
  assert.deepEqual([fences, lost, ended], [[1, 1], ['running'], []]);
});

test('a run whose start has no answer is left to the node that finds it', async () => {
  const { fences, lost, ended, done } = perform([AWAY]);
  await done();
  assert.deepEqual([fences, lost, ended], [[1], ['queued'], []]);
});

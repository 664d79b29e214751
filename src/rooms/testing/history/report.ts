import { systemClock } from '../../../kernel/clock.ts';
import { checkHistory, type Violation } from './checker.ts';
import type { Target } from './target.ts';
import { runTrial, type Trial, type TrialOptions } from './trial.ts';

/** A trial in numbers, and the promises that the server broke. */
export interface Report {
  readonly facts: ReturnType<typeof factsOf>;
  readonly violations: readonly Violation[];
}

/** Runs a trial, closes its target, and checks the history that all writers and readers have seen. */
export async function reportOn(target: Target, options: TrialOptions): Promise<Report> {
  const trial = await runTrial(target, options, systemClock);
  const { writers, readers, kept } = trial;
  const left = await target.close();
  const writes = writers.flatMap(({ records }) => records);
  const faults = [...writers, ...readers].flatMap((one) => one.faults);
  const violations = [
    ...checkHistory({ writes, kept, readers }),
    ...faults.map((text): Violation => ({ kind: 'moved', text })),
    ...left.map((text): Violation => ({ kind: 'lost', text: `on disk: ${text}` })),
  ];
  return { facts: factsOf(trial, target), violations };
}

function factsOf({ seconds, writers, readers, kept, deliveries }: Trial, { kills }: Target) {
  const writes = writers.flatMap(({ records }) => records);
  const answered = writes.filter(({ answeredAt }) => answeredAt !== null);
  const waits = answered.map(({ startedAt, answeredAt }) => Number(answeredAt) - startedAt);
  const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
  return {
    rooms: kept.size,
    writers: writers.length,
    readers: readers.length,
    seconds: Number(seconds.toFixed(1)),
    kills,
    acknowledged: answered.length,
    'acknowledged/s': Math.round(answered.length / seconds),
    unanswered: writes.length - answered.length,
    'sent once more': sum(writers.map(({ retries, repeats }) => retries + repeats)),
    kept: sum([...kept.values()].map(({ length }) => length)),
    'answer p50 ms': quantile(waits, 0.5),
    'answer p99 ms': quantile(waits, 0.99),
    'received by readers': sum(readers.map(({ reads }) => reads.length)),
    connections: sum(readers.map(({ connections }) => connections)),
    'received p50 ms': quantile(deliveries, 0.5),
    'received p99 ms': quantile(deliveries, 0.99),
  };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return Number((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1));
}

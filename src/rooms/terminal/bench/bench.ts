import { holdProcess } from '../../../kernel/clock.ts';
import { CommandError } from '../../../kernel/errors.ts';
import { formatTable } from '../../../kernel/terminal/table.ts';
import type { Terminal } from '../../../kernel/terminal/terminal.ts';
import { withClient } from '../client.ts';
import type { ConnectionOptions } from '../connection.ts';
import { checkHistory, type Violation } from '../history-checker.ts';
import { colorsOf, printJson } from '../output.ts';
import { KilledServer } from './killed-server.ts';
import { fixedTarget, type Target } from './target.ts';
import { runTrial, type Trial, type TrialOptions } from './trial.ts';

export interface BenchOptions extends ConnectionOptions {
  readonly rooms: number;
  readonly members: number;
  readonly fanout: number;
  /** Messages a second. */
  readonly rate?: number;
  /** Milliseconds. */
  readonly duration?: number;
  readonly verify?: boolean;
  readonly kill?: boolean;
  /** Milliseconds. */
  readonly killEvery: number;
}

const BENCH_MS = 10_000;
const VERIFY_MS = 60_000;
/** What two processors that also read everything 16 times can take, so that what is measured is order and not patience. */
const VERIFY_RATE = 500;
const MAX_SHOWN = 50;

/** `rooms bench`: how much a server takes, and with `--verify` whether it keeps what it promises. */
export async function bench(options: BenchOptions, terminal: Terminal): Promise<void> {
  const { verify = false, kill = false, rate, duration } = options;
  const wish: TrialOptions = {
    rooms: options.rooms,
    writers: options.members,
    readers: options.fanout,
    rate: rate ?? (verify ? VERIFY_RATE : 0),
    durationMs: duration ?? (verify ? VERIFY_MS : BENCH_MS),
    isRough: verify,
  };
  if (!kill) {
    await withClient(options, terminal, (client) => conduct(fixedTarget(client), wish, options, terminal));
    return;
  }
  const release = holdProcess();
  const server = new KilledServer(terminal, options.killEvery);
  try {
    await server.client();
    await conduct(server, wish, { ...options, verify: true }, terminal);
  } finally {
    await server.close().catch(() => {});
    release();
  }
}

async function conduct(target: Target, wish: TrialOptions, options: BenchOptions, terminal: Terminal): Promise<void> {
  const trial = await runTrial(target, wish, terminal.clock);
  const { writers, readers, kept } = trial;
  const left = (await target.close()).map((text): Violation => ({ kind: 'lost', text: `on disk: ${text}` }));
  const writes = writers.flatMap(({ records }) => records);
  const faults = [...writers, ...readers].flatMap((one) => one.faults);
  const violations = options.verify
    ? [
        ...checkHistory({ writes, kept, readers }),
        ...faults.map((text): Violation => ({ kind: 'moved', text })),
        ...left,
      ]
    : [];
  const facts = factsOf(trial, target);
  if (options.json) {
    printJson(terminal, { ...facts, ...(options.verify ? { verified: violations.length === 0, violations } : {}) });
  } else {
    terminal.out(formatTable(Object.entries(facts).map(([name, value]) => [name, String(value)])));
    if (options.verify) printVerdict(violations, terminal);
  }
  if (violations.length > 0)
    throw new CommandError(
      options.json ? '' : `${violations.length} violations: the server does not keep its promises`,
    );
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
    'told to readers': sum(readers.map(({ reads }) => reads.length)),
    connections: sum(readers.map(({ connections }) => connections)),
    'told p50 ms': quantile(deliveries, 0.5),
    'told p99 ms': quantile(deliveries, 0.99),
  };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return Number((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1));
}

function printVerdict(violations: readonly Violation[], terminal: Terminal): void {
  const { green, red } = colorsOf(terminal);
  if (violations.length === 0) {
    const what =
      'every acknowledged message once, numbers without holes, in the order of time, each reader’s history whole';
    terminal.out(`${green('verified')}: ${what}\n`);
    return;
  }
  for (const { kind, text } of violations.slice(0, MAX_SHOWN)) terminal.out(`${red(kind)} ${text}\n`);
  if (violations.length > MAX_SHOWN) terminal.out(`and ${violations.length - MAX_SHOWN} more\n`);
}

import { systemClock } from '../kernel/clock.ts';
import type { Database } from '../kernel/database.ts';
import { createLog } from '../kernel/log.ts';
import { alertOf, HOUR, routeSettings } from '../testing/alert-parts.ts';
import { bench, isAsked, printNumber, printTable } from '../testing/bench.ts';
import { createSqliteFolder } from '../testing/sqlite.ts';
import { joinState } from './alert-state.ts';
import { ALERT_SERVER_DEFAULTS } from './config/server-options.ts';
import type { Notification } from './domain/notification.ts';
import { RouteTree } from './domain/route.ts';
import { TimeIntervals } from './domain/time-intervals.ts';
import type { NotificationMetrics } from './notification-metrics.ts';
import { type Flush, Pipeline } from './pipeline.ts';
import { ReceiverNotifier } from './receiver-notifier.ts';
import { MIGRATIONS } from './server.ts';

// How late groups are flushed that fall due at once, or one after the other, and when the last of them has been told of.

const GROUPS = 10_000;
const INTERVAL_MS = 10_000;

const quiet: NotificationMetrics = { attempted() {}, failed() {}, requested() {}, suppressed() {} };

interface Lateness {
  readonly median: number;
  readonly p99: number;
  readonly most: number;
}

interface Round {
  readonly flushed: Lateness;
  /** From the moment when a group was due to the end of its notification; undefined where nothing was told. */
  readonly told: Lateness | undefined;
}

/** Flushes every group once at the moment that `dueAt` names, and once more an interval later, with nothing new to tell. */
async function measure(dueAt: (index: number) => number): Promise<{ readonly first: Round; readonly second: Round }> {
  let close = async () => {};
  const after = (end: () => Promise<void>) => {
    close = end;
  };
  const database = await createSqliteFolder({ after }, ...MIGRATIONS).open();
  const log = createLog({
    level: 'error',
    format: 'logfmt',
    clock: systemClock,
    write: (line) => process.stderr.write(line),
  });
  const tree = new RouteTree(routeSettings({ groupBy: ['n'], groupIntervalMs: INTERVAL_MS }));
  const options = ALERT_SERVER_DEFAULTS;
  const state = joinState({ options, tree, inhibitionRules: [], database, clock: systemClock, log, newId: () => '' });
  const toldAt = new Map<string, number>();
  const receivers = new Map([
    ['default', createReceiver(state, database, log, (n) => toldAt.set(n, systemClock.now()))],
  ]);
  const { inhibitor, silencer } = state;
  const intervals = new TimeIntervals([]);
  const pipeline = new Pipeline({
    inhibitor,
    silencer,
    intervals,
    receivers,
    clock: systemClock,
    log,
    suppressed() {},
  });
  const begins = systemClock.now() + 1_000;
  const due = new Map(Array.from({ length: GROUPS }, (_, n) => [`{}:{n="${n}"}`, begins + dueAt(n)]));
  const late: number[][] = [[], []];
  const rounds = new Map<string, number>();
  const watching = {
    run(flush: Flush) {
      const { id } = flush.group;
      const round = rounds.get(id) ?? 0;
      late[round]?.push(flush.at - (due.get(id) ?? Number.NaN));
      rounds.set(id, round + 1);
      // The next is counted from the tick of this one.
      due.set(id, flush.at + INTERVAL_MS);
      return pipeline.run(flush);
    },
  };
  state.dispatcher.remember(due);
  const times = { startsAt: begins, endsAt: begins + HOUR, updatedAt: begins };
  state.alerts.put(Array.from({ length: GROUPS }, (_, n) => alertOf({ n: String(n) }, times)));
  state.dispatcher.start(watching as unknown as Pipeline);
  await new Promise((resolve) => setTimeout(resolve, 2 * INTERVAL_MS + 4_000 + dueAt(GROUPS - 1)));
  await state.dispatcher.stop();
  await Promise.all([state.alerts.flush(), state.timers.flush()]);
  await close();
  const told = latenessOf(Array.from({ length: GROUPS }, (_, n) => (toldAt.get(String(n)) ?? 0) - begins - dueAt(n)));
  return {
    first: { flushed: latenessOf(late[0] ?? []), told },
    second: { flushed: latenessOf(late[1] ?? []), told: undefined },
  };
}

function createReceiver(
  state: ReturnType<typeof joinState>,
  database: Database,
  log: ReturnType<typeof createLog>,
  told: (n: string) => void,
): ReceiverNotifier {
  const { notificationLog, history, sending } = state;
  const notifier = {
    async notify({ groupLabels }: Notification) {
      told(groupLabels.n ?? '');
      return { ok: true as const };
    },
  };
  return new ReceiverNotifier('default', [{ name: 'webhook', index: 0, sendResolved: true, notifier }], {
    ...{ notificationLog, history, sending, database, clock: systemClock, log, metrics: quiet },
    writeAlerts: (slots) => state.alerts.write(slots),
    retentionMs: HOUR,
    random: Math.random,
    renderRouteLabels: () => ({}),
  });
}

function latenessOf(samples: readonly number[]): Lateness {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
  return { median: at(0.5), p99: at(0.99), most: at(1) };
}

/** Both rounds of it as rows of the table. */
async function run(name: string, dueAt: (index: number) => number): Promise<string[][]> {
  const { first, second } = await measure(dueAt);
  const numbers = ({ flushed, told }: Round) =>
    [flushed.median, flushed.p99, flushed.most, told?.median, told?.most].map((ms) =>
      ms === undefined ? '' : printNumber(ms),
    );
  return [
    [`${name}, each tells`, ...numbers(first)],
    [`${name}, nothing new`, ...numbers(second)],
  ];
}

bench('dispatcher', async (filters) => {
  const rows: string[][] = [];
  if (isAsked('spread', filters)) {
    rows.push(...(await run('one after the other', (n) => (n * INTERVAL_MS) / GROUPS)));
  }
  if (isAsked('once', filters)) rows.push(...(await run('all at once', () => 0)));
  const head = ['', 'flushed: median', 'p99', 'most', 'told: median', 'most'];
  process.stdout.write(
    `${GROUPS} groups, each flushed every ${INTERVAL_MS / 1000} s: how late, in ms\n${printTable(head, rows)}\n`,
  );
});

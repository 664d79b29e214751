import { systemClock } from '../kernel/clock.ts';
import type { Database } from '../kernel/database.ts';
import { createLog } from '../kernel/log.ts';
import { alertOf, HOUR, routeSettings } from '../testing/alert-parts.ts';
import { bench, printNumber, printTable } from '../testing/bench.ts';
import { createSqliteFolder } from '../testing/sqlite.ts';
import { joinState } from './alert-state.ts';
import { ALERT_SERVER_DEFAULTS } from './config/server-options.ts';
import { RouteTree } from './domain/route.ts';
import { TimeIntervals } from './domain/time-intervals.ts';
import type { NotificationMetrics } from './notification-metrics.ts';
import { type Flush, Pipeline } from './pipeline.ts';
import { ReceiverNotifier } from './receiver-notifier.ts';
import { MIGRATIONS } from './server.ts';

// How late groups are flushed that fall due at once, or one after the other.

const GROUPS = 10_000;
const INTERVAL_MS = 10_000;

const quiet: NotificationMetrics = { attempted() {}, failed() {}, requested() {}, suppressed() {} };

interface Lateness {
  readonly median: number;
  readonly p99: number;
  readonly most: number;
}

/** Flushes every group once at the moment that `dueAt` names, and once more an interval later, with nothing new to tell. */
async function measure(
  dueAt: (index: number) => number,
): Promise<{ readonly first: Lateness; readonly second: Lateness }> {
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
  const receivers = new Map([['default', createReceiver(state, database, log)]]);
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
  return { first: latenessOf(late[0] ?? []), second: latenessOf(late[1] ?? []) };
}

function createReceiver(
  state: ReturnType<typeof joinState>,
  database: Database,
  log: ReturnType<typeof createLog>,
): ReceiverNotifier {
  const { notificationLog, history } = state;
  const notifier = { notify: async () => ({ ok: true as const }) };
  return new ReceiverNotifier('default', [{ name: 'webhook', index: 0, sendResolved: true, notifier }], {
    ...{ notificationLog, history, database, clock: systemClock, log, metrics: quiet },
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

bench('dispatcher', async () => {
  const spread = await measure((n) => (n * INTERVAL_MS) / GROUPS);
  const atOnce = await measure(() => 0);
  const row = (name: string, { median, p99, most }: Lateness) => [name, ...[median, p99, most].map(printNumber)];
  process.stdout.write(
    `${GROUPS} groups, each flushed every ${INTERVAL_MS / 1000} s: how late, in ms\n${printTable(
      ['', 'median', 'p99', 'most'],
      [
        row('one after the other, each tells', spread.first),
        row('one after the other, nothing new', spread.second),
        row('all at once, each tells', atOnce.first),
        row('all at once, nothing new', atOnce.second),
      ],
    )}\n`,
  );
});

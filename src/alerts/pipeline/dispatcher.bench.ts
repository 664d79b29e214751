import { systemClock } from '../../kernel/clock.ts';
import { createLog } from '../../kernel/log.ts';
import { bench, isAsked, printNumber, printTable } from '../../testing/bench.ts';
import { createSqliteFolder } from '../../testing/sqlite.ts';
import { ALERT_SERVER_DEFAULTS } from '../config/server-options.ts';
import type { Notification } from '../domain/notification.ts';
import { RouteTree } from '../domain/route.ts';
import { TimeIntervals } from '../domain/time-intervals.ts';
import { joinState } from '../state/alert-state.ts';
import { localStorage, MIGRATIONS } from '../state/local-storage.ts';
import { alertOf, HOUR, routeSettings } from '../testing/parts.ts';
import type { NotificationMetrics } from './notification/metrics.ts';
import { Pipeline } from './pipeline.ts';
import { Receiver } from './receiver.ts';
import { Suppression } from './suppression.ts';

// Delay of flushes of groups due at once, or one after the other, and the time of the last notification.

const GROUPS = 10_000;
const INTERVAL_MS = 10_000;
/** By then everything that was put is on disk. */
const LEAD_MS = 3_000;

const quiet: NotificationMetrics = {
  attempted() {},
  failed() {},
  templateFailed() {},
  requested() {},
  suppressed() {},
};

interface Lateness {
  readonly median: number;
  readonly p99: number;
  readonly most: number;
}

interface Round {
  /** From the due time of a group to its evaluation. */
  readonly flushed: Lateness;
  /** CPU time per group between the first evaluation and the last, in microseconds. */
  readonly flushUs: number;
  /** From the moment when a group was due to its notification; undefined where nothing was sent. */
  readonly sent: Lateness | undefined;
  /** CPU time from the first evaluation to the last notification, in milliseconds. */
  readonly sentMs: number | undefined;
}

/** Measurements of the groups of one round, by number. Arrays, not texts, so that recording costs little. */
class Watch {
  readonly due: Float64Array;
  readonly late = new Float64Array(GROUPS);
  readonly sent = new Float64Array(GROUPS);
  #flushes = 0;
  #sendings = 0;
  #begun = process.cpuUsage();
  flushUs = 0;
  sentMs = 0;

  constructor(dueAt: (index: number) => number) {
    this.due = Float64Array.from({ length: GROUPS }, (_, index) => dueAt(index));
  }

  begin(): void {
    if (this.#flushes++ === 0) this.#begun = process.cpuUsage();
  }

  flushed(index: number): void {
    this.late[index] = systemClock.now() - (this.due[index] as number);
    if (this.#flushes === GROUPS) this.flushUs = this.#used() / GROUPS;
  }

  notified(index: number): void {
    this.sent[index] = systemClock.now() - (this.due[index] as number);
    if (++this.#sendings === GROUPS) this.sentMs = this.#used() / 1_000;
  }

  round(): Round {
    const isNotified = this.#sendings > 0;
    return {
      flushed: latenessOf(this.late),
      flushUs: this.flushUs,
      sent: isNotified ? latenessOf(this.sent) : undefined,
      sentMs: isNotified ? this.sentMs : undefined,
    };
  }

  #used(): number {
    const { user, system } = process.cpuUsage(this.#begun);
    return user + system;
  }
}

/** Flushes every group once at its `dueAt`, and once more an interval later, with nothing new to send. */
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
  const tree = new RouteTree(routeSettings({ groupBy: ['n'], groupWaitMs: HOUR, groupIntervalMs: INTERVAL_MS }));
  const options = ALERT_SERVER_DEFAULTS;
  const storage = localStorage({ ...options, database, clock: systemClock, log });
  const newId = () => '';
  const state = joinState({ options, tree, inhibitionRules: [], storage, clock: systemClock, log, newId });
  const begins = systemClock.now() + LEAD_MS;
  const watches = [new Watch((index) => begins + dueAt(index)), new Watch(() => Number.NaN)] as const;
  const receivers = new Map([['default', createReceiver(state, log, (index) => watches[0].notified(index))]]);
  const { inhibitor, silencer } = state;
  const intervals = new TimeIntervals([]);
  const suppression = new Suppression({ inhibitor, silencer, intervals, log, suppressed() {} });
  state.dispatcher.remember(
    new Map(Array.from({ length: GROUPS }, (_, n) => [`{}:{n="${n}"}`, { at: begins + dueAt(n), isFlushed: false }])),
  );
  const times = { startsAt: begins, endsAt: begins + HOUR, updatedAt: begins };
  state.alerts.put(Array.from({ length: GROUPS }, (_, n) => alertOf({ n: String(n) }, times)));
  state.dispatcher.start(watched(new Pipeline(suppression, receivers), watches));
  await new Promise((resolve) => setTimeout(resolve, LEAD_MS + INTERVAL_MS + 4_000 + dueAt(GROUPS - 1)));
  await state.dispatcher.stop();
  await Promise.all([state.alerts.flush(), state.storage.timers.flush()]);
  await close();
  return { first: watches[0].round(), second: watches[1].round() };
}

/** The pipeline, with a watch for each of the first rounds. */
function watched(pipeline: Pipeline, watches: readonly Watch[]): Pipeline {
  const rounds = new Uint8Array(GROUPS);
  const evaluate: Pipeline['evaluate'] = (group, alerts, at, claim) => {
    const index = Number(group.labels.values[0]);
    const round = (rounds[index] as number)++;
    const watch = watches[round];
    watch?.begin();
    const evaluation = pipeline.evaluate(group, alerts, at, claim);
    watch?.flushed(index);
    // The next is counted from the tick of this one.
    const next = watches[round + 1];
    if (next) next.due[index] = at + INTERVAL_MS;
    return evaluation;
  };
  return { evaluate } as unknown as Pipeline;
}

function createReceiver(
  state: ReturnType<typeof joinState>,
  log: ReturnType<typeof createLog>,
  notified: (index: number) => void,
): Receiver {
  const { notificationLog, health, storage } = state;
  const notifier = {
    async notify({ groupLabels }: Notification) {
      notified(Number(groupLabels.n));
      return { ok: true as const };
    },
  };
  return new Receiver('default', [{ name: 'webhook', index: 0, sendResolved: true, notifier }], {
    ...{ notificationLog, health, storage: storage.notifications, clock: systemClock, log, metrics: quiet },
    writeAlerts: (slots) => state.alerts.write(slots),
    retentionMs: HOUR,
    random: Math.random,
    renderRouteLabels: () => ({}),
  });
}

function latenessOf(samples: Float64Array): Lateness {
  const sorted = samples.toSorted();
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
  return { median: at(0.5), p99: at(0.99), most: at(1) };
}

/** Both rounds of it as rows of the table. */
async function run(name: string, dueAt: (index: number) => number): Promise<string[][]> {
  const { first, second } = await measure(dueAt);
  const numbers = ({ flushed, flushUs, sent, sentMs }: Round) =>
    [flushed.median, flushed.p99, flushed.most, flushUs, sent?.median, sent?.most, sentMs].map((number) =>
      number === undefined ? '' : printNumber(number),
    );
  return [
    [`${name}, each notifies`, ...numbers(first)],
    [`${name}, nothing new`, ...numbers(second)],
  ];
}

bench('dispatcher', async (filters) => {
  const rows: string[][] = [];
  if (isAsked('spread', filters)) {
    rows.push(...(await run('one after the other', (n) => (n * INTERVAL_MS) / GROUPS)));
  }
  if (isAsked('once', filters)) rows.push(...(await run('all at once', () => 0)));
  const head = ['', 'flushed: median', 'p99', 'most', 'CPU, \u00b5s each', 'sent: median', 'most', 'CPU, ms in all'];
  process.stdout.write(
    `${GROUPS} groups, each flushed every ${INTERVAL_MS / 1000} s: how late, in ms\n${printTable(head, rows)}\n`,
  );
});

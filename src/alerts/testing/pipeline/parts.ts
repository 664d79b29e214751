import { createLog, type Log } from '../../../kernel/log.ts';
import type { Database } from '../../../kernel/storage/database.ts';
import { FakeClock } from '../../../testing/fake/clock.ts';
import { FakeDatabase } from '../../../testing/fake/database.ts';
import { ALERT_SERVER_DEFAULTS } from '../../config/server-options.ts';
import type { InhibitionRule } from '../../domain/inhibition.ts';
import type { Notification } from '../../domain/notification.ts';
import { type RouteSettings, RouteTree } from '../../domain/route.ts';
import { TimeIntervals } from '../../domain/time-intervals.ts';
import type { Delivery, Notifier } from '../../integrations/notifier.ts';
import type { Claims } from '../../pipeline/claims.ts';
import type { NotificationMetrics } from '../../pipeline/notification/metrics.ts';
import { Pipeline } from '../../pipeline/pipeline.ts';
import { Receiver, type ReceiverIntegration } from '../../pipeline/receiver.ts';
import { Suppression } from '../../pipeline/suppression.ts';
import { type AlertState, joinState } from '../../state/alert-state.ts';
import { localStorage } from '../../state/local-storage.ts';
import type { AlertSlot } from '../../store/slot.ts';
import { alertOf, HOUR, routeSettings, START } from '../parts.ts';

/** An integration that records notifications and answers with a given result, by default success. */
export interface FakeIntegration {
  readonly name?: string;
  readonly index?: number;
  readonly sendResolved?: boolean;
  /** `count`: the number of earlier notifications. */
  readonly answer?: (notification: Notification, signal: AbortSignal, count: number) => Delivery | Promise<Delivery>;
}

export interface TestPipelineOptions {
  readonly route?: Partial<RouteSettings>;
  readonly rules?: readonly InhibitionRule[];
  readonly intervals?: ConstructorParameters<typeof TimeIntervals>[0];
  /** By receiver. Unless given, `default` has one. */
  readonly receivers?: Readonly<Record<string, readonly FakeIntegration[]>>;
  readonly database?: Database;
  /** Those of a node among others; unless given, it is the only one. */
  readonly claims?: Claims;
  readonly clock?: FakeClock;
  readonly retentionMs?: number;
}

/** A notification as a test compares it: `5s default/webhook first notification: +a -b`. */
export interface TestPipeline {
  readonly clock: FakeClock;
  readonly state: AlertState;
  readonly pipeline: Pipeline;
  readonly receivers: ReadonlyMap<string, Receiver>;
  readonly sent: string[];
  readonly notifications: Notification[];
  /** Counts by `attempted webhook`, `failed webhook serverError`, `suppressed silence` and so on. */
  readonly counts: Map<string, number>;
  readonly lines: string[];
  readonly log: Log;
  /** Posts alerts named by their label `n`; each fires for an hour unless `endsAt` is given. */
  post(names: string, rest?: { readonly startsAt?: number; readonly endsAt?: number }): void;
  /** Moves the clock, by default second by second, so that all consequences of one step happen before the next. */
  advance(ms: number, stepMs?: number): Promise<void>;
}

/** Lets all promises settle that need no clock. */
export async function settlePromises(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await new Promise((done) => setImmediate(done));
}

/** The same where rows lie on a real disk, which takes its time: until it has all that was written so far. */
export async function settleOnDisk(database: Database): Promise<void> {
  await settlePromises();
  await database.write([]);
  await settlePromises();
}

/** The state of a server with its pipeline, on a clock that a test moves, and no configuration file. */
export function createTestPipeline(options: TestPipelineOptions = {}): TestPipeline {
  const clock = options.clock ?? new FakeClock(START);
  const database = options.database ?? new FakeDatabase();
  const lines: string[] = [];
  const log = createLog({ level: 'debug', format: 'logfmt', clock, write: (line) => lines.push(line) });
  const tree = new RouteTree(routeSettings(options.route));
  const inhibitionRules = options.rules ?? [];
  let silences = 0;
  const newId = () => `silence-${++silences}`;
  const { claims } = options;
  const storage = { ...localStorage({ database, clock, log, retentionMs: 120 * HOUR }), ...(claims && { claims }) };
  const state = joinState({ options: ALERT_SERVER_DEFAULTS, tree, inhibitionRules, storage, clock, log, newId });
  const counts = new Map<string, number>();
  const sent: string[] = [];
  const notifications: Notification[] = [];
  const metrics = countingMetrics(counts);
  const { notificationLog, health, inhibitor, silencer } = state;
  const parts = {
    ...{ notificationLog, health, storage: storage.notifications, clock, log, metrics },
    writeAlerts: (slots: readonly AlertSlot[]) => state.alerts.write(slots),
    retentionMs: options.retentionMs ?? 120 * HOUR,
    random: () => 0.5,
    renderRouteLabels: () => ({}),
  };
  const note = (integration: string, notification: Notification) => {
    notifications.push(notification);
    sent.push(`${(clock.now() - START) / 1000}s ${notification.receiver}/${integration} ${describe(notification)}`);
  };
  const named = Object.entries(options.receivers ?? { default: [{}] });
  const receivers = new Map(
    named.map(([name, fakes]) => {
      const integrations = fakes.map(integrationOf(note));
      return [name, new Receiver(name, integrations, parts)];
    }),
  );
  const intervals = new TimeIntervals(options.intervals ?? []);
  const { suppressed } = metrics;
  const pipeline = new Pipeline(new Suppression({ inhibitor, silencer, intervals, log, suppressed }), receivers);
  return {
    ...{ clock, state, pipeline, receivers, sent, notifications, counts, lines, log },
    post(names, { startsAt = clock.now(), endsAt = clock.now() + HOUR } = {}) {
      const times = { startsAt, endsAt, updatedAt: clock.now() };
      state.alerts.put(names.split(' ').map((n) => alertOf({ alertname: 'Test', n }, times)));
    },
    async advance(ms, stepMs = 1_000) {
      const end = clock.now() + ms;
      for (let step = 0; step <= ms; step += stepMs) {
        clock.advance(step === 0 ? 0 : Math.min(stepMs, end - clock.now()));
        await (database instanceof FakeDatabase ? settlePromises() : settleOnDisk(database));
      }
    },
  };
}

function describe({ reason, alerts }: Notification): string {
  return `${reason}: ${alerts.map(({ status, labels }) => (status === 'firing' ? '+' : '-') + labels.n).join(' ')}`;
}

function integrationOf(note: (integration: string, notification: Notification) => void) {
  return ({ name = 'webhook', index = 0, sendResolved = true, answer }: FakeIntegration): ReceiverIntegration => {
    let count = 0;
    const notifier: Notifier = {
      async notify(notification, signal) {
        note(index === 0 ? name : `${name}[${index}]`, notification);
        return answer ? answer(notification, signal, count++) : { ok: true };
      },
    };
    return { name, index, sendResolved, notifier };
  };
}

function countingMetrics(counts: Map<string, number>): NotificationMetrics {
  const count = (key: string, by = 1) => void counts.set(key, (counts.get(key) ?? 0) + by);
  return {
    attempted: (integration) => count(`attempted ${integration}`),
    failed: (integration, _, reason) => count(`failed ${integration} ${reason}`),
    templateFailed: (integration) => count(`template failed ${integration}`),
    requested: (integration, _, ok) => count(`requested ${integration} ${ok ? 'ok' : 'failed'}`),
    suppressed: (reason, by) => count(`suppressed ${reason}`, by),
  };
}

/** A delivery that failed. */
export const failure = (rest: Partial<Extract<Delivery, { ok: false }>> = {}): Delivery => ({
  ok: false,
  retry: false,
  reason: 'clientError',
  error: 'unexpected status code 400',
  ...rest,
});

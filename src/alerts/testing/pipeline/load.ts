import { PlainClient } from '../../../testing/http/client.ts';
import type { Cleanup } from '../../../testing/processes.ts';
import type { Random } from '../../../testing/random.ts';
import type { ReceivedNotification } from '../delivery-sinks.ts';

/** How often everything is posted again; how long an alert that has ended is. */
const RESEND_MS = 300;
const RESEND_ENDED_MS = 60_000;
const HOUR_MS = 3_600_000;
const GROUPS = 12;

/** A server, or several. */
export type Poster = Pick<PlainClient, 'post'>;

/**
 * Repeats an action until stopped; the stop resolves when nothing is under way. A request that is cut off was not
 * acknowledged: its failure is expected.
 */
export function repeat(action: () => Promise<unknown>, pauseMs: number): () => Promise<void> {
  let isStopped = false;
  const run = async () => {
    while (!isStopped) {
      await action().catch(() => {});
      await new Promise((done) => setTimeout(done, pauseMs));
    }
  };
  const running = run();
  return () => {
    isStopped = true;
    return running;
  };
}

interface LoadedAlert {
  readonly name: string;
  readonly group: string;
  readonly startsAt: number;
  /** Infinity: it fires to the end. */
  readonly endsAt: number;
}

/**
 * Posts alerts as Prometheus does: firing alerts again and again, with an end ahead, and ended ones for a while longer.
 * A post that fails is not made up for, as the next one brings the same. Every alert fires once.
 */
export class PipelineLoad {
  readonly #random: Random;
  readonly #alerts: LoadedAlert[] = [];
  /** Silences that the server has acknowledged. */
  readonly silences = new Set<string>();

  constructor(random: Random) {
    this.#random = random;
  }

  get alerts(): readonly LoadedAlert[] {
    return this.#alerts;
  }

  /** Puts the load on a server until stopped; the result resolves when nothing is under way. */
  start(t: Cleanup, url: string): () => Promise<void> {
    const client = new PlainClient(t, url);
    const stops = [this.startAlerts(client), repeat(() => this.#postSilence(client), 20)];
    return async () => {
      await Promise.all(stops.map((stop) => stop()));
    };
  }

  /** As `start`, without silences. */
  startAlerts(client: Poster): () => Promise<void> {
    const stops = [repeat(() => this.#postNew(client), 20), repeat(() => this.postAll(client), RESEND_MS)];
    return async () => {
      await Promise.all(stops.map((stop) => stop()));
    };
  }

  /** Posts firing alerts, and recently ended ones. */
  async postAll(client: Poster): Promise<void> {
    const now = Date.now();
    const alerts = this.#alerts.filter(({ endsAt }) => now - endsAt < RESEND_ENDED_MS);
    if (alerts.length > 0) await client.post('/api/v2/alerts', alerts.map(postableOf));
  }

  /** From now on only the alerts that fire to the end fire. */
  async end(client: Poster): Promise<void> {
    const now = Date.now();
    for (const [index, alert] of this.#alerts.entries()) {
      if (Number.isFinite(alert.endsAt) && alert.endsAt > now) this.#alerts[index] = { ...alert, endsAt: now };
    }
    await this.postAll(client);
  }

  async #postNew(client: Poster): Promise<void> {
    const now = Date.now();
    const endsAt = this.#random.chance(0.1) ? Number.POSITIVE_INFINITY : now + this.#random.int(50, 3_000);
    const group = `Group${this.#random.int(1, GROUPS)}`;
    const alert = { name: `alert-${this.#alerts.length}`, group, startsAt: now, endsAt };
    this.#alerts.push(alert);
    await client.post('/api/v2/alerts', [postableOf(alert)]);
  }

  async #postSilence(client: PlainClient): Promise<void> {
    const { status, body } = await client.post('/api/v2/silences', {
      matchers: [{ name: 'alertname', value: `nothing-${this.silences.size}`, isRegex: false }],
      startsAt: new Date().toISOString(),
      endsAt: new Date(Date.now() + HOUR_MS).toISOString(),
      createdBy: 'ann',
      comment: 'load',
    });
    if (status === 200) this.silences.add((JSON.parse(body) as { silenceID: string }).silenceID);
  }
}

function postableOf({ name, group, startsAt, endsAt }: LoadedAlert): unknown {
  const now = Date.now();
  const end = endsAt <= now ? endsAt : now + HOUR_MS;
  return {
    labels: { alertname: group, instance: name },
    startsAt: new Date(startsAt).toISOString(),
    endsAt: new Date(end).toISOString(),
  };
}

/** A notification with the same content as the group's last one, or with an alert that fires after it has resolved. */
export interface Repetition {
  readonly what: 'sent twice' | 'fires again';
  readonly groupKey: string;
  readonly alert: string;
  /** Whether both had the same key. */
  readonly isRecognisable: boolean;
  /** When the first of the two was answered; epoch milliseconds. */
  readonly firstAt: number;
  readonly secondAt: number;
}

/** Keys of different notifications: a receiver that deduplicates by key would drop the second. */
export function findAmbiguousKeys(calls: readonly ReceivedNotification[]): readonly string[] {
  const sent = new Map<string, string>();
  return calls
    .filter(({ idempotencyKey, payload: { groupKey, alerts } }) => {
      const now = `${groupKey} ${alerts.map(({ status, fingerprint }) => `${status} ${fingerprint}`).join()}`;
      const before = sent.get(idempotencyKey) ?? now;
      sent.set(idempotencyKey, before);
      return before !== now || idempotencyKey === '';
    })
    .map(({ idempotencyKey }) => idempotencyKey);
}

/** The faulty notifications. */
export function findRepetitions(calls: readonly ReceivedNotification[]): readonly Repetition[] {
  const last = new Map<string, { readonly sent: string; readonly at: number; readonly key: string }>();
  const resolved = new Map<string, number>();
  const found: Repetition[] = [];
  for (const { at, payload, idempotencyKey: key } of calls) {
    const { groupKey, alerts } = payload;
    const sent = alerts.map(({ status, labels }) => `${labels.instance} ${status}`).join();
    const before = last.get(groupKey);
    last.set(groupKey, { sent, at, key });
    if (before?.sent === sent) {
      const isRecognisable = before.key === key && key !== '';
      found.push({ what: 'sent twice', groupKey, alert: sent, isRecognisable, firstAt: before.at, secondAt: at });
      continue;
    }
    for (const { status, labels } of alerts) {
      const alert = labels.instance ?? '';
      const firstAt = resolved.get(alert);
      if (status === 'resolved') resolved.set(alert, firstAt ?? at);
      else if (firstAt !== undefined) {
        found.push({ what: 'fires again', groupKey, alert, isRecognisable: false, firstAt, secondAt: at });
      }
    }
  }
  return found;
}

/** Resolved alerts that were only sent as firing, and firing alerts that were never sent. */
export function findMissing(
  alerts: readonly LoadedAlert[],
  calls: readonly ReceivedNotification[],
): { readonly resolved: readonly string[]; readonly firing: readonly string[] } {
  const sent = { firing: new Set<string>(), resolved: new Set<string>() };
  for (const { payload } of calls) {
    for (const { status, labels } of payload.alerts) sent[status].add(labels.instance ?? '');
  }
  const names = (some: readonly LoadedAlert[]) => some.map(({ name }) => name);
  return {
    resolved: names(
      alerts.filter(({ name, endsAt }) => Number.isFinite(endsAt) && sent.firing.has(name) && !sent.resolved.has(name)),
    ),
    firing: names(alerts.filter(({ name, endsAt }) => !Number.isFinite(endsAt) && !sent.firing.has(name))),
  };
}

import * as v from 'valibot';
import type { Clock } from '../kernel/clock.ts';
import { type LabelMatcher, printMatcher } from './domain/command/matcher.ts';
import { accepted, type Outcome, refuse } from './domain/refusal.ts';
import { JsonServer } from './json-server.ts';

const TIMEOUT_MS = 5_000;

/** An alert as the alert server lists it. */
export interface ListedAlert {
  readonly fingerprint: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsAt: string;
  readonly generatorURL: string;
  readonly state: 'active' | 'suppressed' | 'unprocessed';
  readonly silencedBy: readonly string[];
}

/** A silence as the alert server knows it. */
export interface KnownSilence extends SilenceRequest {
  readonly id: string;
  readonly state: 'active' | 'pending' | 'expired';
}

export interface SilenceRequest {
  readonly matchers: readonly LabelMatcher[];
  readonly startsAt: number;
  readonly endsAt: number;
  readonly createdBy: string;
  readonly comment: string;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

const labels = v.record(v.string(), v.string());
const alertList = v.array(
  v.object({
    fingerprint: v.string(),
    labels,
    annotations: labels,
    startsAt: v.string(),
    generatorURL: v.optional(v.string(), ''),
    status: v.object({
      state: v.picklist(['active', 'suppressed', 'unprocessed']),
      silencedBy: v.nullish(v.array(v.string()), []),
    }),
  }),
);
const silenceAnswer = v.object({ silenceID: v.string() });
const instant = v.pipe(
  v.string(),
  v.transform((text) => Date.parse(text)),
  v.number(),
);
const matchers = v.array(
  v.object({ name: v.string(), value: v.string(), isRegex: v.boolean(), isEqual: v.optional(v.boolean(), true) }),
);
const knownSilence = v.object({
  id: v.string(),
  matchers,
  startsAt: instant,
  endsAt: instant,
  createdBy: v.string(),
  comment: v.string(),
  annotations: v.optional(labels),
  status: v.object({ state: v.picklist(['active', 'pending', 'expired']) }),
});
const silenceList = v.array(v.object({ id: v.string(), comment: v.string(), status: v.object({ state: v.string() }) }));
const silenceState = v.object({
  comment: v.optional(v.string(), ''),
  matchers: v.optional(matchers, []),
  status: v.object({ state: v.string() }),
});

/** A client of Alertmanager's API v2. The alert server has 5 s to answer. */
export class AlertsClient {
  readonly #server: JsonServer;

  constructor(url: string, clock: Clock, variables: Readonly<Record<string, string | undefined>>) {
    const base = `${url.replace(/\/+$/, '').replace(/\/api\/v2$/, '')}/api/v2`;
    this.#server = new JsonServer({ name: 'the alert server', url: base, timeoutMs: TIMEOUT_MS, clock, variables });
  }

  /** The alerts that match all matchers; with `onlyActive` only those that nothing suppresses. */
  async alerts(
    matchers: readonly LabelMatcher[],
    { onlyActive }: { readonly onlyActive: boolean },
  ): Promise<Outcome<readonly ListedAlert[]>> {
    const query = new URLSearchParams(matchers.map((matcher): [string, string] => ['filter', printMatcher(matcher)]));
    if (onlyActive) {
      query.set('silenced', 'false');
      query.set('inhibited', 'false');
    }
    const found = await this.#server.ask('GET', `/alerts?${query}`, alertList);
    if (!found.ok) return found;
    return accepted(
      found.value.map(({ status, ...alert }) => ({ ...alert, ...status, silencedBy: status.silencedBy ?? [] })),
    );
  }

  /** Creates a silence and returns its id. */
  silence(request: SilenceRequest): Promise<Outcome<string>> {
    return this.#put(request);
  }

  /** Moves the end of an unexpired silence; returns its id, which the alert server may have changed. */
  extend(silence: KnownSilence, endsAt: number): Promise<Outcome<string>> {
    return this.#put({ ...silence, endsAt });
  }

  /** A silence, also an expired one. */
  async findSilenceById(id: string): Promise<Outcome<KnownSilence>> {
    const found = await this.#server.ask('GET', `/silence/${encodeURIComponent(id)}`, knownSilence);
    if (!found.ok) return found.code === 'not_found' ? refuse('not_found', `there is no silence ${id}`) : found;
    return accepted(flatten(found.value));
  }

  /** The active silences, the first to end first. */
  async liveSilences(): Promise<Outcome<readonly KnownSilence[]>> {
    const found = await this.#server.ask('GET', '/silences', v.array(knownSilence));
    if (!found.ok) return found;
    const live = found.value.map(flatten).filter(({ state }) => state === 'active');
    return accepted(live.sort((a, b) => a.endsAt - b.endsAt));
  }

  /** The id of the unexpired silence with this comment; `undefined`: there is none. */
  async findSilence(comment: string): Promise<Outcome<string | undefined>> {
    const found = await this.#server.ask('GET', '/silences', silenceList);
    if (!found.ok) return found;
    return accepted(
      found.value.find((silence) => silence.comment === comment && silence.status.state !== 'expired')?.id,
    );
  }

  /** Expires a silence and returns it; an expired one is refused. */
  async unsilence(id: string): Promise<Outcome<Pick<KnownSilence, 'matchers' | 'comment'>>> {
    const found = await this.#server.ask('GET', `/silence/${encodeURIComponent(id)}`, silenceState);
    if (!found.ok) return found.code === 'not_found' ? refuse('not_found', `there is no silence ${id}`) : found;
    if (found.value.status.state === 'expired') return refuse('invalid_body', `the silence ${id} has ended already`);
    const ended = await this.#server.ask('DELETE', `/silence/${encodeURIComponent(id)}`, v.unknown());
    return ended.ok ? accepted({ matchers: found.value.matchers, comment: found.value.comment }) : ended;
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  async #put({ startsAt, endsAt, ...silence }: SilenceRequest & { readonly id?: string }): Promise<Outcome<string>> {
    const { id, matchers, createdBy, comment, annotations } = silence;
    const times = { startsAt: new Date(startsAt).toISOString(), endsAt: new Date(endsAt).toISOString() };
    const body = JSON.stringify({
      ...(id === undefined ? {} : { id }),
      matchers,
      ...times,
      createdBy,
      comment,
      annotations,
    });
    const made = await this.#server.ask('POST', '/silences', silenceAnswer, body);
    return made.ok ? accepted(made.value.silenceID) : made;
  }
}

/** An acknowledgement ends with its alert or at its limit: the server moves its end again and again. */
const flatten = ({ status, ...silence }: v.InferOutput<typeof knownSilence>): KnownSilence => {
  const limit = Date.parse(silence.annotations?.acknowledged_until ?? '');
  return { ...silence, endsAt: Number.isNaN(limit) ? silence.endsAt : limit, state: status.state };
};

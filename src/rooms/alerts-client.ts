import * as v from 'valibot';
import type { Clock } from '../kernel/clock.ts';
import { DeadlineError, withDeadline } from '../kernel/deadline.ts';
import type { HttpAnswer } from '../kernel/http-client/exchange.ts';
import { HttpClient } from '../kernel/http-client/http-client.ts';
import { type LabelMatcher, printMatcher } from './domain/command/matcher.ts';
import { accepted, type Outcome, type Refusal, refuse } from './domain/refusal.ts';

const TIMEOUT_MS = 5_000;
/** A larger answer, in bytes, is refused. */
const MAX_BYTES = 64 * 2 ** 20;

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

export interface SilenceRequest {
  readonly matchers: readonly LabelMatcher[];
  readonly startsAt: number;
  readonly endsAt: number;
  readonly createdBy: string;
  readonly comment: string;
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
const silenceList = v.array(v.object({ id: v.string(), comment: v.string(), status: v.object({ state: v.string() }) }));
const silenceState = v.object({ endsAt: v.string(), status: v.object({ state: v.string() }) });

/** A client of Alertmanager's API v2. The alert server has 5 s to answer. */
export class AlertsClient {
  readonly #base: string;
  readonly #clock: Clock;
  readonly #http: HttpClient;

  constructor(url: string, clock: Clock, variables: Readonly<Record<string, string | undefined>>) {
    this.#base = `${url.replace(/\/+$/, '').replace(/\/api\/v2$/, '')}/api/v2`;
    this.#clock = clock;
    this.#http = new HttpClient({ connectTimeoutMs: TIMEOUT_MS, variables });
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
    const found = await this.#ask('GET', `/alerts?${query}`, alertList);
    if (!found.ok) return found;
    return accepted(
      found.value.map(({ status, ...alert }) => ({ ...alert, ...status, silencedBy: status.silencedBy ?? [] })),
    );
  }

  /** Creates a silence and returns its id. */
  async silence({ matchers, startsAt, endsAt, createdBy, comment }: SilenceRequest): Promise<Outcome<string>> {
    const body = {
      matchers,
      startsAt: new Date(startsAt).toISOString(),
      endsAt: new Date(endsAt).toISOString(),
      createdBy,
      comment,
    };
    const made = await this.#ask('POST', '/silences', silenceAnswer, JSON.stringify(body));
    return made.ok ? accepted(made.value.silenceID) : made;
  }

  /** The id of the unexpired silence with this comment; `undefined`: there is none. */
  async findSilence(comment: string): Promise<Outcome<string | undefined>> {
    const found = await this.#ask('GET', '/silences', silenceList);
    if (!found.ok) return found;
    return accepted(
      found.value.find((silence) => silence.comment === comment && silence.status.state !== 'expired')?.id,
    );
  }

  /** Expires a silence; an expired one is refused. */
  async unsilence(id: string): Promise<Outcome<null>> {
    const found = await this.#ask('GET', `/silence/${encodeURIComponent(id)}`, silenceState);
    if (!found.ok) return found.code === 'not_found' ? refuse('not_found', `there is no silence ${id}`) : found;
    if (found.value.status.state === 'expired') return refuse('invalid_body', `the silence ${id} has ended already`);
    const ended = await this.#ask('DELETE', `/silence/${encodeURIComponent(id)}`, v.unknown());
    return ended.ok ? accepted(null) : ended;
  }

  close(): Promise<void> {
    return this.#http.close();
  }

  async #ask<S extends v.GenericSchema>(
    method: string,
    path: string,
    schema: S,
    body?: string,
  ): Promise<Outcome<v.InferOutput<S>>> {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const request = { method, url: `${this.#base}${path}`, headers, body, maxBytes: MAX_BYTES };
    try {
      const answer = await withDeadline({ clock: this.#clock, ms: TIMEOUT_MS }, (signal) =>
        this.#http.send({ ...request, signal }),
      );
      return readAnswer(answer, schema);
    } catch (error) {
      const why = error instanceof DeadlineError ? `did not answer within ${TIMEOUT_MS / 1000} s` : 'cannot be reached';
      return refuse('upstream_failed', `the alert server ${why}`);
    }
  }
}

function readAnswer<S extends v.GenericSchema>(
  { status, isOk, isWhole, text }: HttpAnswer,
  schema: S,
): Outcome<v.InferOutput<S>> {
  if (!isOk) return refuseStatus(status, text);
  try {
    const parsed = v.safeParse(schema, text === '' ? null : JSON.parse(text));
    return parsed.success && isWhole ? accepted(parsed.output) : unusual();
  } catch {
    return unusual();
  }
}

const unusual = (): Refusal =>
  refuse('upstream_failed', 'the alert server answered with something else than Alertmanager does');

function refuseStatus(status: number, text: string): Refusal {
  if (status === 404) return refuse('not_found', 'the alert server does not have it');
  const words = status === 400 ? `: ${text.replaceAll('"', '').trim().slice(0, 300)}` : '';
  return refuse(status === 400 ? 'invalid_body' : 'upstream_failed', `the alert server answered ${status}${words}`);
}

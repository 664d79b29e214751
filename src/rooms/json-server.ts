import * as v from 'valibot';
import type { Clock } from '../kernel/clock.ts';
import { DeadlineError, withDeadline } from '../kernel/deadline.ts';
import type { HttpAnswer } from '../kernel/http-client/exchange.ts';
import { HttpClient } from '../kernel/http-client/http-client.ts';
import { accepted, type Outcome, type Refusal, refuse } from './domain/refusal.ts';

/** A larger answer, in bytes, is refused. */
const MAX_BYTES = 64 * 2 ** 20;
const CONNECT_TIMEOUT_MS = 5_000;

export interface JsonServerParts {
  /** In refusals: `the alert server`. */
  readonly name: string;
  readonly url: string;
  /** Of every request; may hold a secret, which no refusal repeats. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly variables: Readonly<Record<string, string | undefined>>;
}

/** Another server that answers in JSON; its failures are refusals. */
export class JsonServer {
  readonly #parts: JsonServerParts;
  readonly #http: HttpClient;

  constructor(parts: JsonServerParts) {
    this.#parts = parts;
    this.#http = new HttpClient({ connectTimeoutMs: CONNECT_TIMEOUT_MS, variables: parts.variables });
  }

  async ask<S extends v.GenericSchema>(
    method: string,
    path: string,
    schema: S,
    body?: string,
  ): Promise<Outcome<v.InferOutput<S>>> {
    const { name, url, headers: usual, timeoutMs, clock } = this.#parts;
    const headers = { ...usual, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
    const request = { method, url: `${url}${path}`, headers, body, maxBytes: MAX_BYTES };
    try {
      const answer = await withDeadline({ clock, ms: timeoutMs }, (signal) => this.#http.send({ ...request, signal }));
      return readAnswer(name, answer, schema);
    } catch (error) {
      const why = error instanceof DeadlineError ? `did not answer within ${timeoutMs / 1000} s` : 'cannot be reached';
      return refuse('upstream_failed', `${name} ${why}`);
    }
  }

  close(): Promise<void> {
    return this.#http.close();
  }
}

function readAnswer<S extends v.GenericSchema>(
  name: string,
  { status, isOk, isWhole, text }: HttpAnswer,
  schema: S,
): Outcome<v.InferOutput<S>> {
  if (!isOk) return refuseStatus(name, status, text);
  try {
    const parsed = v.safeParse(schema, text === '' ? null : JSON.parse(text));
    return parsed.success && isWhole ? accepted(parsed.output) : unusual(name);
  } catch {
    return unusual(name);
  }
}

const unusual = (name: string): Refusal =>
  refuse('upstream_failed', `${name} answered with something else than its API does`);

function refuseStatus(name: string, status: number, text: string): Refusal {
  if (status === 404) return refuse('not_found', `${name} does not have it`);
  if (status === 401 || status === 403)
    return refuse('upstream_failed', `${name} refuses the credentials of this server`);
  const words = status === 400 ? `: ${text.replaceAll('"', '').trim().slice(0, 300)}` : '';
  return refuse(status === 400 ? 'invalid_body' : 'upstream_failed', `${name} answered ${status}${words}`);
}

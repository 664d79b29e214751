import { gunzipSync } from 'node:zlib';
import { HttpAnswer } from '../../kernel/http-client/exchange.ts';
import type { HttpRequest } from '../../kernel/http-client/http-client.ts';
import { createLog } from '../../kernel/log.ts';
import { HANG_MS } from '../../testing/eventually.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { httpAnswer } from '../../testing/http/client-parts.ts';
import type { EnvironmentOptions, EventOptions, RelayOptions } from '../config/relay-options.ts';
import type { SdkKind } from '../credentials.ts';
import type { StoredFlag } from '../domain/summary/event.ts';
import { Inflater } from '../event/body.ts';
import { EventForwarder } from '../event/forwarder.ts';
import type { EventPost } from '../event/receiver.ts';

export const EVENT_ENVIRONMENT: EnvironmentOptions = {
  name: 'production',
  sdkKey: 'sdk-key',
  mobileKey: 'mob-key',
  envId: 'env-id',
  secureMode: false,
  allowedOrigins: [],
  allowedHeaders: [],
  ttlMs: 0,
  logLevel: undefined,
  projKey: undefined,
  filter: undefined,
  dataFile: undefined,
  storePrefix: undefined,
  storeTable: undefined,
};

/** A post received by the events host. */
export interface SentPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Inflated. */
  readonly bytes: Buffer;
  readonly text: string;
  readonly json: unknown;
  /** Time of the fake clock. */
  readonly at: number;
}

/** `hang` never answers, an error is thrown; 202 by default. */
export type EventHostAnswer = number | HttpAnswer | Error | 'hang';

/** An events host without sockets that records posts. */
export class FakeEventHost {
  readonly posts: SentPost[] = [];
  readonly #answers: EventHostAnswer[] = [];
  readonly #clock: FakeClock;

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  /** Answers for the next posts, one each. */
  answerNext(...answers: readonly EventHostAnswer[]): void {
    this.#answers.push(...answers);
  }

  async send({ url, headers = {}, body, signal }: HttpRequest): Promise<HttpAnswer> {
    signal?.throwIfAborted();
    const bytes = gunzipSync(body as Uint8Array);
    const text = bytes.toString();
    this.posts.push({ url: String(url), headers, bytes, text, json: JSON.parse(text), at: this.#clock.now() });
    const answer = this.#answers.shift() ?? 202;
    if (answer instanceof Error) throw answer;
    if (answer instanceof HttpAnswer) return answer;
    if (answer !== 'hang') return httpAnswer(answer);
    return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
  }
}

export interface TestForwarder {
  readonly forwarder: EventForwarder;
  readonly host: FakeEventHost;
  readonly clock: FakeClock;
  /** Log lines. */
  readonly lines: string[];
  /** Posts events as an SDK does; of schema 4 by default. */
  post(
    body: unknown,
    headers?: Readonly<Record<string, string>>,
    sdkKind?: SdkKind,
  ): ReturnType<EventForwarder['receive']>;
}

export interface TestForwarderOptions {
  readonly events?: Partial<EventOptions>;
  readonly isLocal?: boolean;
  readonly archive?: RelayOptions['archive'];
  readonly environment?: Partial<EnvironmentOptions>;
  readonly flags?: Readonly<Record<string, StoredFlag>>;
}

/** A forwarder on a fake clock and an events host without sockets. */
export function createTestForwarder(options: TestForwarderOptions = {}): TestForwarder {
  const clock = new FakeClock();
  const host = new FakeEventHost(clock);
  const lines: string[] = [];
  const events: EventOptions = {
    mode: 'forward',
    uri: 'https://events.example.com/',
    flushMs: 5000,
    capacity: 1000,
    maxPayloadBytes: 0,
    ...options.events,
  };
  const forwarder = new EventForwarder({
    environment: { ...EVENT_ENVIRONMENT, ...options.environment },
    options: {
      events,
      isLocal: options.isLocal ?? false,
      archive: options.archive,
    },
    http: host,
    inflater: new Inflater(),
    flag: (key) => options.flags?.[key],
    userAgent: 'LDRelay/1.2.3',
    clock,
    log: createLog({ level: 'debug', format: 'json', clock, write: (line) => lines.push(line) }),
  });
  const post: TestForwarder['post'] = (body, headers = {}, sdkKind = 'server') =>
    forwarder.receive(eventPost(body, headers, sdkKind));
  return { forwarder, host, clock, lines, post };
}

/** A post of events; a body other than string or Buffer is sent as JSON. */
export function eventPost(
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  sdkKind: SdkKind = 'server',
  kind: EventPost['kind'] = 'analytics',
): EventPost {
  const all: Readonly<Record<string, string>> = { 'x-launchdarkly-event-schema': '4', ...headers };
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return { sdkKind, kind, bytes, header: (name) => all[name] };
}

export const customEvent = (key: string) => ({ kind: 'custom', creationDate: 1, key, contextKeys: { user: 'u' } });

/** The events of a payload. */
export const eventsOf = (post: SentPost | undefined) =>
  (post?.json ?? []) as readonly { readonly kind: string; readonly key?: string; readonly features?: object }[];

/** The posts to the events host after another flush interval; waits for at least `posts`. */
export async function afterFlush(setup: TestForwarder, posts: number): Promise<readonly SentPost[]> {
  setup.clock.advance(5000);
  const { counts } = setup.forwarder;
  await settled(
    () =>
      setup.host.posts.length >= posts &&
      setup.forwarder.pending === 0 &&
      counts.sent + counts.failed + counts.dropped >= counts.received,
  );
  return setup.host.posts;
}

/** Lets promises and worker threads proceed until the condition holds; fails after {@link HANG_MS}. */
export async function settled(isDone: () => boolean): Promise<void> {
  const givenUpAt = performance.now() + HANG_MS;
  while (!isDone()) {
    if (performance.now() > givenUpAt) throw new Error('the condition was not met');
    await new Promise((done) => setImmediate(done));
  }
}

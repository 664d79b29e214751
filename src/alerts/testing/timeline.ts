import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import type { HttpRequest } from '../integrations/notifier.ts';
import { type AlertsAppOptions, createTestApp, type TestApp } from './app.ts';
import { START } from './parts.ts';
import { settlePromises } from './pipeline/parts.ts';

/** An alert as posted and as received by a webhook. Seconds since the beginning; absent values are not posted. */
export interface TimelineAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly from?: number;
  readonly to?: number;
}

/** What one webhook was sent at one moment. */
export interface Batch {
  readonly at: number;
  readonly alerts: readonly TimelineAlert[];
  /** The whole body. */
  readonly message: Readonly<Record<string, unknown>>;
}

/** A batch that has to come between two moments, both included. */
export interface ExpectedBatch {
  readonly between: readonly [earliest: number, latest: number];
  readonly alerts: readonly TimelineAlert[];
}

/** A status, or no answer until the sender gives up; `at` is when the request came. */
export type HookAnswer = (at: number) => number | 'hang';

export interface TimelineOptions extends Omit<AlertsAppOptions, 'openHttp'> {
  /** When groups begin to be flushed; at once unless given. */
  readonly startDelay?: number;
  /** By the host of a webhook; 200 unless given. */
  readonly answers?: Readonly<Record<string, HookAnswer>>;
}

/** What happens at one moment. Each is awaited before the clock goes on. */
export interface Moment {
  post(...alerts: readonly TimelineAlert[]): void;
  silence(name: string, silence: TimelineSilence): void;
  /** Ends the silence of that name. */
  endSilence(name: string): void;
  /** Reads the configuration again; another text is written to its file first. */
  reload(config?: string): void;
  check(look: (app: TestApp) => Promise<void>): void;
}

export interface TimelineSilence {
  readonly from: number;
  readonly to: number;
  readonly matchers: readonly { readonly name: string; readonly value: string; readonly isRegex?: boolean }[];
}

/** So finely the clock moves, that what follows from a timer happens at its moment. */
const STEP_S = 0.01;

interface Action {
  readonly at: number;
  readonly act: () => Promise<unknown>;
}

/** A scenario of an alert server from 0 s on, with a clock that stands still between its steps. */
export class Timeline {
  readonly app: TestApp;
  readonly #actions: Action[] = [];
  readonly #batches = new Map<string, Batch[]>();
  readonly #silences = new Map<string, string>();
  readonly #answers: Readonly<Record<string, HookAnswer>>;

  constructor(t: { after(end: () => void): void }, { startDelay = 0, answers = {}, ...options }: TimelineOptions) {
    this.#answers = answers;
    const openHttp = () => ({
      send: (request: HttpRequest) => this.#receive(request),
      close: () => Promise.resolve(),
    });
    this.app = createTestApp(t, { ...options, openHttp });
    this.#plan(startDelay, () => this.app.startDispatching());
  }

  /** Steps of the same moment run in the order of their planning. */
  at(seconds: number): Moment {
    const { app } = this;
    return {
      post: (...alerts) => this.#plan(seconds, () => expectStatus(app.post('/api/v2/alerts', alerts.map(printAlert)))),
      silence: (name, silence) =>
        this.#plan(seconds, async () => {
          const answer = await app.post('/api/v2/silences', printSilence(silence));
          assert.equal(answer.status, 200, answer.text);
          this.#silences.set(name, (answer.json as { silenceID: string }).silenceID);
        }),
      endSilence: (name) =>
        this.#plan(seconds, () => expectStatus(app.delete(`/api/v2/silence/${this.#silences.get(name)}`))),
      reload: (config) =>
        this.#plan(seconds, () => {
          if (config !== undefined) writeFileSync(app.configFile, config);
          return expectStatus(app.send('POST', '/-/reload'));
        }),
      check: (look) => this.#plan(seconds, () => look(app)),
    };
  }

  /** Lets it all happen, up to and including that moment. */
  async run(until: number): Promise<void> {
    this.#actions.sort((a, b) => a.at - b.at);
    for (let now = 0; now <= until; now = round(now + STEP_S)) {
      this.app.clock.advance(Math.max(0, START + now * 1000 - this.app.clock.now()));
      await settlePromises();
      for (let next = this.#actions[0]; next && next.at <= now; next = this.#actions[0]) {
        this.#actions.shift();
        await next.act();
        // Consequences due at once.
        this.app.clock.advance(0);
        await settlePromises();
      }
    }
    assert.deepEqual(this.#actions, [], `planned for after the end at ${until} s`);
  }

  /** What the webhook of that host was sent with success. */
  received(host: string): readonly Batch[] {
    return this.#batches.get(host) ?? [];
  }

  /** Expects that the webhook was sent exactly these batches, each in its time. */
  expect(host: string, ...expected: readonly ExpectedBatch[]): void {
    const received = this.received(host);
    const story = JSON.stringify(received.map(({ at, alerts }) => ({ at, alerts })));
    assert.equal(received.length, expected.length, `${host} was sent ${story}`);
    for (const [index, { between, alerts }] of expected.entries()) {
      const batch = received[index] as Batch;
      assert.ok(batch.at >= between[0] && batch.at <= between[1], `batch ${index} at ${batch.at} s; ${story}`);
      assert.deepEqual(batch.alerts.map(inOrder), alerts.map(inOrder), `batch ${index}`);
    }
  }

  #plan(at: number, act: () => Promise<unknown>): void {
    this.#actions.push({ at, act });
  }

  get #now(): number {
    return round((this.app.clock.now() - START) / 1000);
  }

  #receive({ url, body = '', signal }: HttpRequest): Promise<{ status: number; headers: Headers; text: string }> {
    const { host } = new URL(url);
    const at = this.#now;
    const status = this.#answers[host]?.(at) ?? 200;
    if (status === 'hang')
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    if (status < 300) {
      const message = JSON.parse(body) as { alerts: readonly WebhookAlert[] };
      const batches = this.#batches.get(host) ?? [];
      this.#batches.set(host, batches);
      batches.push({ at, alerts: message.alerts.map(readAlert), message: { ...message } });
    }
    return Promise.resolve({ status, headers: new Headers(), text: '' });
  }
}

interface WebhookAlert {
  readonly status: string;
  readonly labels: Record<string, string>;
  readonly annotations: Record<string, string>;
  readonly startsAt: string;
  readonly endsAt: string;
}

/** Whole hundredths, so that sums of them stay comparable. */
function round(seconds: number): number {
  return Math.round(seconds * 100) / 100;
}

const instant = (seconds: number) => new Date(START + seconds * 1000).toISOString();
const secondsOf = (text: string) => round((Date.parse(text) - START) / 1000);

function readAlert({ status, labels, annotations, startsAt, endsAt }: WebhookAlert): TimelineAlert {
  const from = secondsOf(startsAt);
  return status === 'firing' ? { labels, annotations, from } : { labels, annotations, from, to: secondsOf(endsAt) };
}

/** With all that may be left out, so that two can be compared. */
function inOrder({ labels, annotations = {}, from, to }: TimelineAlert) {
  return { labels: { ...labels }, annotations: { ...annotations }, from, to };
}

function printAlert({ labels, annotations = {}, from, to }: TimelineAlert) {
  return {
    labels,
    annotations,
    ...(from === undefined ? {} : { startsAt: instant(from) }),
    ...(to === undefined ? {} : { endsAt: instant(to) }),
  };
}

function printSilence({ from, to, matchers }: TimelineSilence) {
  return {
    matchers: matchers.map(({ name, value, isRegex = false }) => ({ name, value, isRegex })),
    startsAt: instant(from),
    endsAt: instant(to),
    createdBy: 'ann',
    comment: 'works',
  };
}

async function expectStatus(asked: Promise<{ readonly status: number; readonly text: string }>): Promise<void> {
  const { status, text } = await asked;
  assert.equal(status, 200, text);
}

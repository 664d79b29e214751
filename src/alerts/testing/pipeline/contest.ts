import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { PlainClient } from '../../../testing/http/client.ts';
import { type Cleanup, configFile, type RunningServer } from '../../../testing/processes.ts';
import { startWebhookSink, type WebhookCall, type WebhookSink } from '../webhook-sink.ts';
import { Beats, type PipelineAction, type PipelineConfig, type PipelineScript, type ScriptedAlert } from './script.ts';

/**
 * How far an action may end behind its beat, and a notification behind its moment, before a run proves nothing; in a slow
 * run correspondingly more.
 */
const LATE_MS = 250;
const EARLY_MS = 50;
/** Time for notifications after the last beat. */
const LAST_BEATS = 3;
const EXTERNAL_URL = 'http://alerts.example';

/** Starts a server with this configuration file and these flags. */
export type StartServer = (t: Cleanup, configPath: string, args: string[]) => Promise<RunningServer>;

/** The machine was too slow for the order of things to be certain: the result proves nothing about the server. */
export class TooSlow extends Error {}

/** The notifications of one group to one webhook: each with its beat, and its instants as beats. */
export type Streams = ReadonlyMap<string, readonly string[]>;

export interface Contest {
  readonly script: PipelineScript;
  /** How many times longer than usual everything takes, so that a busy machine is fast enough. */
  readonly slowness: number;
}

/** A server, its webhook, and what a script calls its silences. */
export class Contestant {
  readonly #client: PlainClient;
  readonly #sink: WebhookSink;
  readonly #configPath: string;
  readonly #silences = new Map<string, string>();
  readonly #script: PipelineScript;
  readonly #slowness: number;
  readonly #beats: Beats;
  #startsAt = 0;

  private constructor(
    t: Cleanup,
    { script, slowness }: Contest,
    server: RunningServer,
    sink: WebhookSink,
    configPath: string,
  ) {
    this.#script = script;
    this.#slowness = slowness;
    this.#beats = new Beats(script, slowness);
    this.#client = new PlainClient(t, server.url);
    this.#sink = sink;
    this.#configPath = configPath;
  }

  static async start(t: Cleanup, start: StartServer, contest: Contest): Promise<Contestant> {
    // A connection that is kept may end just when it is used again; the notification would be sent half a second later.
    const sink = await startWebhookSink(t, () => ({ headers: { connection: 'close' } }));
    const path = configFile(t, printConfig(contest.script.config, sink, contest.slowness));
    const server = await start(t, path, [`--web.external-url=${EXTERNAL_URL}`]);
    return new Contestant(t, contest, server, sink, path);
  }

  /** Plays the script from that instant on; resolves when all its notifications have been sent. */
  async play(startsAt: number): Promise<void> {
    this.#startsAt = startsAt;
    for (const [beat, actions] of this.#script.beats.entries()) {
      for (const action of actions) await this.#act(action, beat);
    }
    await until(this.#epochOf(this.#beats.count + LAST_BEATS));
  }

  #epochOf(beat: number): number {
    return this.#startsAt + this.#beats.msOf(beat);
  }

  async #act(action: PipelineAction, beat: number): Promise<void> {
    const dueAt = this.#epochOf(beat);
    // By then everything that ends with the beat has ended, by every clock.
    await until(dueAt + 10);
    await this.#perform(action);
    const lateMs = Date.now() - dueAt;
    if (lateMs > this.#slowness * LATE_MS) throw new TooSlow(`${action.kind} of beat ${beat} ended ${lateMs} ms late`);
  }

  async #perform(action: PipelineAction): Promise<void> {
    if (action.kind === 'alerts')
      await this.#post(
        '/api/v2/alerts',
        action.alerts.map((alert) => this.#alertOf(alert)),
      );
    else if (action.kind === 'silence') {
      const { matchers, name, endBeat } = action;
      const body = await this.#post('/api/v2/silences', {
        matchers,
        startsAt: new Date().toISOString(),
        endsAt: this.#instantOf(endBeat),
        createdBy: 'ann',
        comment: name,
      });
      if (body) this.#silences.set(name, (JSON.parse(body) as { silenceID: string }).silenceID);
    } else if (action.kind === 'expire') {
      const id = this.#silences.get(action.name);
      if (id) await this.#client.send({ method: 'DELETE', path: `/api/v2/silence/${id}` });
    } else {
      writeFileSync(this.#configPath, printConfig(action.config, this.#sink, this.#slowness));
      assert.equal((await this.#client.send({ method: 'POST', path: '/-/reload' })).status, 200);
    }
  }

  /** The answer's text; a silence that would match everything is refused, by each side. */
  async #post(path: string, value: unknown): Promise<string | undefined> {
    const { status, body } = await this.#client.post(path, value);
    if (status === 400 && body.includes('must not match the empty string')) return undefined;
    assert.equal(status, 200, body);
    return body;
  }

  #alertOf({ startBeat, endBeat, ...alert }: ScriptedAlert): unknown {
    const endsAt = endBeat === undefined ? {} : { endsAt: this.#instantOf(endBeat) };
    return { ...alert, startsAt: this.#instantOf(startBeat), ...endsAt };
  }

  #instantOf(beat: number): string {
    return new Date(this.#epochOf(beat)).toISOString();
  }

  /** All notifications, by webhook and group. `change` removes what the other side does not support. */
  streams(change: (payload: Record<string, unknown>) => void): Streams {
    const streams = new Map<string, string[]>();
    for (const call of this.#sink.calls) {
      const key = `${call.path} ${call.payload.groupKey}`;
      const stream = streams.get(key) ?? [];
      streams.set(key, stream);
      stream.push(this.#describe(call, change));
    }
    return streams;
  }

  #describe({ at, body }: WebhookCall, change: (payload: Record<string, unknown>) => void): string {
    const sinceMs = at - this.#startsAt;
    const beat = this.#beats.nearestFlush(sinceMs);
    const lateMs = sinceMs - this.#beats.flushMsOf(beat);
    if (lateMs < -EARLY_MS || lateMs > this.#slowness * LATE_MS)
      throw new TooSlow(`a notification of beat ${beat} came ${lateMs} ms late: ${body}`);
    const payload = JSON.parse(body, (key, value: unknown) =>
      key === 'startsAt' || key === 'endsAt' ? this.#beatOf(String(value)) : value,
    ) as Record<string, unknown>;
    change(payload);
    return `beat ${beat}: ${JSON.stringify(payload)}`;
  }

  /** An end that the server assumed lies behind a beat by as long as the post took. */
  #beatOf(instant: string): string {
    if (instant.startsWith('0001-')) return instant;
    const sinceMs = Date.parse(instant) - this.#startsAt;
    const beat = this.#beats.nearest(sinceMs);
    const lateMs = sinceMs - this.#beats.msOf(beat);
    if (Math.abs(lateMs) > this.#slowness * LATE_MS)
      throw new TooSlow(`an instant lies ${lateMs} ms behind beat ${beat}`);
    return `beat ${beat}`;
  }
}

const TIMES = new Set(['group_wait', 'group_interval', 'repeat_interval', 'resolve_timeout']);

function printConfig(config: PipelineConfig, { url }: WebhookSink, slowness: number): string {
  const slowed = (key: string, value: unknown) =>
    TIMES.has(key) ? String(value).replace(/^\d+/, (count) => String(Number(count) * slowness)) : value;
  return JSON.stringify(config, slowed, 1).replaceAll('SINK', url);
}

async function until(instant: number): Promise<void> {
  const waitMs = instant - Date.now();
  if (waitMs > 0) await new Promise((done) => setTimeout(done, waitMs));
}

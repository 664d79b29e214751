import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import type { StreamClient } from '../../kernel/sse/client.ts';
import type { Fanout } from '../../kernel/sse/fanout.ts';
import { Frame, frameEvent } from '../../kernel/sse/frame.ts';
import type { EnvironmentOptions } from '../config/relay-options.ts';
import type { Environment } from '../environment.ts';
import type { StreamRegistry } from '../streams/registry.ts';

type Headers = Readonly<Record<string, string>>;

/** The event streams that tell OFREP providers when to ask again; one for each environment that somebody listens to. */
export class OfrepStreams {
  readonly #registry: StreamRegistry;
  readonly #streams = new Map<Environment, ChangeStream>();

  constructor(registry: StreamRegistry) {
    this.#registry = registry;
  }

  /** `known` is the revision that the listener has last heard of; '' when that is not told. */
  open(environment: Environment, outgoing: ServerResponse, headers: Headers, known: string): StreamClient {
    let stream = this.#streams.get(environment);
    if (!stream) {
      stream = new ChangeStream(environment, this.#registry);
      this.#streams.set(environment, stream);
    }
    return stream.open(outgoing, headers, known);
  }

  /** How many listen to changes of an environment. */
  size(environment: Environment): number {
    return this.#streams.get(environment)?.size ?? 0;
  }

  /** How many were cut so far because they did not read. */
  dropped(environment: Environment): number {
    return this.#streams.get(environment)?.dropped ?? 0;
  }

  /** Ends the streams of an environment that is no longer served; resolves when they are written out. */
  async forget(environment: Environment): Promise<void> {
    const stream = this.#streams.get(environment);
    this.#streams.delete(environment);
    await stream?.close();
  }
}

/** Shorter than anybody would notice, and longer than it takes to write a file of many flags into the store. */
const COALESCE_MS = 100;
/** For each duration that was ever asked for, Node keeps a list: so not too many. */
const DELAY_STEPS = 50;

/** Everybody who wants to know of changes to one environment. */
class ChangeStream {
  readonly #environment: Environment;
  readonly #registry: StreamRegistry;
  readonly #fanout: Fanout;
  readonly #unsubscribe: () => void;
  /** Who listens, and the timer of the news that is on its way. */
  readonly #clients = new Map<StreamClient, CancelTimer | undefined>();
  #news: { readonly revision: string; readonly frame: Frame } | undefined;
  readonly #delaysMs: readonly number[];

  constructor(environment: Environment, registry: StreamRegistry) {
    this.#environment = environment;
    this.#registry = registry;
    this.#fanout = registry.openFanout();
    const longestMs = Math.max(COALESCE_MS, registry.options.pingJitterMs);
    this.#delaysMs = Array.from({ length: DELAY_STEPS }, (_, step) =>
      Math.round((longestMs / 2) * (1 + step / (DELAY_STEPS - 1))),
    );
    const tell = () => this.#tell();
    this.#unsubscribe = environment.store.subscribe({ replaced: tell, changed: tell, removed: tell });
  }

  get size(): number {
    return this.#fanout.size;
  }

  get dropped(): number {
    return this.#fanout.dropped;
  }

  open(outgoing: ServerResponse, headers: Headers, known: string): StreamClient {
    const { revision } = this.#environment;
    // A bare id tells the listener nothing but what to come back with.
    const snapshot = known === '' || known === revision ? new Frame(`id: ${revision}\n\n`) : this.#frame();
    const client = this.#fanout.open(outgoing, { headers, snapshot });
    if (client.isOpen) {
      this.#clients.set(client, undefined);
      client.whenOver(() => this.#forget(client));
    }
    return client;
  }

  async close(): Promise<void> {
    this.#unsubscribe();
    for (const client of [...this.#clients.keys()]) this.#forget(client);
    await this.#registry.closeFanout(this.#fanout);
  }

  /** Each at a moment of its own, so that not all ask at once; what changes meanwhile is in the same news. */
  #tell(): void {
    const { clock, random } = this.#registry.options;
    for (const [client, pending] of this.#clients) {
      if (!pending) this.#clients.set(client, this.#tellLater(client, clock, random));
    }
  }

  #tellLater(client: StreamClient, clock: Clock, random: () => number): CancelTimer {
    const delayMs = this.#delaysMs[Math.floor(random() * DELAY_STEPS)] ?? COALESCE_MS;
    return clock.after(delayMs, () => {
      this.#clients.set(client, undefined);
      client.send(this.#frame());
    });
  }

  #frame(): Frame {
    const { revision, changedAt } = this.#environment;
    if (this.#news?.revision !== revision) {
      const news = { type: 'refetchEvaluation', etag: revision, lastModified: Math.floor(changedAt / 1000) };
      this.#news = { revision, frame: frameEvent({ id: revision, event: 'message', data: JSON.stringify(news) }) };
    }
    return this.#news.frame;
  }

  #forget(client: StreamClient): void {
    this.#clients.get(client)?.();
    this.#clients.delete(client);
  }
}

const names = new WeakMap<EnvironmentOptions, string>();

/**
 * Names the change stream of an environment in a URL, since an EventSource sends no header. The name lets one listen to
 * that stream and tells nothing of the key; it is the same after a restart, and in every relay with the same key.
 */
export function nameOfrepStream({ options }: Environment): string {
  let name = names.get(options);
  if (name === undefined) {
    const subject = `OFREP change stream ${options.filter ?? ''}`;
    name = createHmac('sha256', options.sdkKey).update(subject).digest('base64url').slice(0, 32);
    names.set(options, name);
  }
  return name;
}

/** Finds the environment whose change stream has that name. */
export function findOfrepStream(environments: Iterable<Environment>, name: string): Environment | undefined {
  const wanted = Buffer.from(name);
  for (const environment of environments) {
    const own = Buffer.from(nameOfrepStream(environment));
    if (own.length === wanted.length && timingSafeEqual(own, wanted)) return environment;
  }
  return undefined;
}

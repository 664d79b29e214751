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

/** Event streams that notify OFREP providers of changes; one per environment with clients. */
export class OfrepStreams {
  readonly #registry: StreamRegistry;
  readonly #streams = new Map<Environment, ChangeStream>();

  constructor(registry: StreamRegistry) {
    this.#registry = registry;
  }

  /** `known` is the last revision known to the client; '' if unknown. */
  open(environment: Environment, outgoing: ServerResponse, headers: Headers, known: string): StreamClient {
    let stream = this.#streams.get(environment);
    if (!stream) {
      stream = new ChangeStream(environment, this.#registry);
      this.#streams.set(environment, stream);
    }
    return stream.open(outgoing, headers, known);
  }

  /** Number of clients of an environment. */
  size(environment: Environment): number {
    return this.#streams.get(environment)?.size ?? 0;
  }

  /** Number of clients disconnected so far because they did not read. */
  dropped(environment: Environment): number {
    return this.#streams.get(environment)?.dropped ?? 0;
  }

  /** Ends the streams of an environment that is no longer served; resolves when they are flushed. */
  async forget(environment: Environment): Promise<void> {
    const stream = this.#streams.get(environment);
    this.#streams.delete(environment);
    await stream?.close();
  }
}

/** Minimum of the longest delay: more than storing a file of many flags takes. */
const COALESCE_MS = 100;
/** Number of distinct delays: Node keeps a timer list per duration. */
const DELAY_STEPS = 50;

/** The stream of changes to one environment. */
class ChangeStream {
  readonly #environment: Environment;
  readonly #registry: StreamRegistry;
  readonly #fanout: Fanout;
  readonly #unsubscribe: () => void;
  /** Clients and the timers of their pending notifications. */
  readonly #clients = new Map<StreamClient, CancelTimer | undefined>();
  #event: { readonly revision: string; readonly frame: Frame } | undefined;
  readonly #delaysMs: readonly number[];

  constructor(environment: Environment, registry: StreamRegistry) {
    this.#environment = environment;
    this.#registry = registry;
    this.#fanout = registry.openFanout();
    const longestMs = Math.max(COALESCE_MS, registry.options.pingJitterMs);
    this.#delaysMs = Array.from({ length: DELAY_STEPS }, (_, step) =>
      Math.round((longestMs / 2) * (1 + step / (DELAY_STEPS - 1))),
    );
    const notify = () => this.#notify();
    this.#unsubscribe = environment.store.subscribe({
      replaced: notify,
      changed: notify,
      removed: notify,
      membersChanged: notify,
    });
  }

  get size(): number {
    return this.#fanout.size;
  }

  get dropped(): number {
    return this.#fanout.dropped;
  }

  open(outgoing: ServerResponse, headers: Headers, known: string): StreamClient {
    const { revision } = this.#environment;
    // An id without data only sets Last-Event-ID for a reconnect.
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

  /** Notifies clients with random delays, so that not all ask at once; later changes share the notification. */
  #notify(): void {
    const { clock, random } = this.#registry.options;
    for (const [client, pending] of this.#clients) {
      if (!pending) this.#clients.set(client, this.#notifyLater(client, clock, random));
    }
  }

  #notifyLater(client: StreamClient, clock: Clock, random: () => number): CancelTimer {
    const delayMs = this.#delaysMs[Math.floor(random() * DELAY_STEPS)] ?? COALESCE_MS;
    return clock.after(delayMs, () => {
      this.#clients.set(client, undefined);
      client.send(this.#frame());
    });
  }

  #frame(): Frame {
    const { revision, changedAt } = this.#environment;
    if (this.#event?.revision !== revision) {
      const event = { type: 'refetchEvaluation', etag: revision, lastModified: Math.floor(changedAt / 1000) };
      this.#event = { revision, frame: frameEvent({ id: revision, event: 'message', data: JSON.stringify(event) }) };
    }
    return this.#event.frame;
  }

  #forget(client: StreamClient): void {
    this.#clients.get(client)?.();
    this.#clients.delete(client);
  }
}

const names = new WeakMap<EnvironmentOptions, readonly string[]>();

/**
 * The secret name of an environment's change stream in its URL, as an EventSource sends no Authorization header. Grants
 * access to that stream only and reveals nothing about the key; the same in every relay with the same key.
 */
export function nameOfrepStream({ options }: Environment): string {
  return namesOf(options)[0] ?? '';
}

/** That of the SDK key first; those of other valid keys stay valid with them. */
function namesOf(options: EnvironmentOptions): readonly string[] {
  const known = names.get(options);
  if (known) return known;
  const { sdkKey, additionalKeys = [], filter = '' } = options;
  const others = additionalKeys.filter(({ sdkKind }) => sdkKind === 'server').map(({ key }) => key);
  const made = [sdkKey, ...others].map((key) =>
    createHmac('sha256', key).update(`OFREP change stream ${filter}`).digest('base64url').slice(0, 32),
  );
  names.set(options, made);
  return made;
}

/** Finds an environment by the name of its change stream. */
export function findOfrepStream(environments: Iterable<Environment>, name: string): Environment | undefined {
  const wanted = Buffer.from(name);
  for (const environment of environments) {
    const own = namesOf(environment.options).map((one) => Buffer.from(one));
    if (own.some((one) => one.length === wanted.length && timingSafeEqual(one, wanted))) return environment;
  }
  return undefined;
}

import { randomBytes } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import type { EnvironmentOptions } from './config/relay-options.ts';
import type { SdkKind } from './credentials.ts';
import type { DataSink } from './data-source.ts';
import type { CompiledFlag } from './domain/evaluation/evaluate.ts';
import { FlagStore } from './flag-store.ts';
import { ConnectionStatus } from './status/connection-status.ts';
import type { StreamRegistry } from './streams/registry.ts';
import { EnvironmentStreams } from './streams/streams.ts';

/**
 * What a request may expect of an environment. `refused`: its source never accepted the key, so it counts as unknown;
 * `starting`: within the time that a source is given to deliver; `waiting`: beyond it, and still nothing is there;
 * `ready`: there are data, old or new.
 */
export type Readiness = 'refused' | 'starting' | 'waiting' | 'ready';

export interface EnvironmentParts {
  readonly clock: Clock;
  readonly initTimeoutMs: number;
  readonly registry: StreamRegistry;
}

/** Which flags a kind of SDK may know of. */
const EXPOSURE: Readonly<Record<SdkKind, (flag: CompiledFlag) => boolean>> = {
  server: () => true,
  mobile: ({ exposure }) => exposure.mobile,
  client: ({ exposure }) => exposure.client,
};

/** One environment that is served: its data, how their source fares, and everybody who listens. */
export class Environment implements DataSink {
  readonly store = new FlagStore();
  readonly connection: ConnectionStatus;
  readonly streams: EnvironmentStreams;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly #clock: Clock;
  readonly #initTimeoutMs: number;
  #options: EnvironmentOptions;
  /** Two processes never give the same name to what may be different data. */
  readonly #epoch = randomBytes(6).toString('base64url');
  #changes = 0;
  #changedAt: number;
  readonly #exposed = new Map<SdkKind, readonly CompiledFlag[]>();

  constructor(options: EnvironmentOptions, { clock, initTimeoutMs, registry }: EnvironmentParts) {
    this.#options = options;
    this.#clock = clock;
    this.#initTimeoutMs = initTimeoutMs;
    this.createdAt = clock.now();
    this.#changedAt = this.createdAt;
    this.connection = new ConnectionStatus(this.createdAt);
    const renew = () => {
      this.#changes++;
      this.#changedAt = clock.now();
      this.#exposed.clear();
    };
    this.store.subscribe({ replaced: renew, changed: renew, removed: renew });
    this.streams = new EnvironmentStreams(this.store, registry);
  }

  get options(): EnvironmentOptions {
    return this.#options;
  }

  /** Names the data of this moment: as long as it is the same, so is everything that is evaluated from them. */
  get revision(): string {
    return `${this.#epoch}${this.#changes.toString(36)}`;
  }

  /** When something last changed, in epoch milliseconds; without data, when the environment was created. */
  get changedAt(): number {
    return this.#changedAt;
  }

  /** Every flag that a kind of SDK may know of, sorted by key. */
  exposed(sdkKind: SdkKind): readonly CompiledFlag[] {
    let flags = this.#exposed.get(sdkKind);
    if (!flags) {
      flags = this.store.flags().filter(EXPOSURE[sdkKind]);
      this.#exposed.set(sdkKind, flags);
    }
    return flags;
  }

  get readiness(): Readiness {
    if (this.store.isInitialised) return 'ready';
    if (this.connection.isRefusedFromTheStart) return 'refused';
    return this.#clock.now() - this.createdAt < this.#initTimeoutMs ? 'starting' : 'waiting';
  }

  /** Takes other settings for the requests to come; streams go on. Credentials change through Credentials alone. */
  reconfigure(options: EnvironmentOptions): void {
    this.#options = options;
  }

  /** Ends every stream; resolves when they are written out. Idempotent. */
  close(): Promise<void> {
    return this.streams.close();
  }
}

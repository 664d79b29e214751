import { randomBytes } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import type { BigSegmentReader } from './big-segments/reader.ts';
import type { EnvironmentOptions } from './config/relay-options.ts';
import type { SdkKind } from './credentials.ts';
import type { DataSink } from './data-source.ts';
import { type BigSegmentMemberships, keysOfKinds } from './domain/big-segment.ts';
import type { CompiledFlag } from './domain/compile.ts';
import type { Context } from './domain/context/context.ts';
import { FlagStore } from './flag-store.ts';
import { ConnectionStatus } from './status/connection-status.ts';
import type { StreamRegistry } from './streams/registry.ts';
import { EnvironmentStreams } from './streams/streams.ts';

/**
 * `refused`: upstream has never accepted the key, so the environment counts as unknown, even with data of an earlier time
 * if the key was revoked; `starting`: no data yet, within the
 * init timeout; `waiting`: no data after it; `ready`: has data, up to date or not.
 */
export type Readiness = 'refused' | 'starting' | 'waiting' | 'ready';

export interface EnvironmentParts {
  readonly clock: Clock;
  readonly initTimeoutMs: number;
  readonly registry: StreamRegistry;
  /** Of the environment of which this one is a copy. */
  readonly origin?: EnvironmentOrigin;
}

/** The same for all copies of an environment in other threads. */
export interface EnvironmentOrigin {
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** Makes revisions unique per process. */
  readonly epoch: string;
}

/** The number of changes so far, and the time of the last in epoch milliseconds. */
export interface EnvironmentChanges {
  readonly changes: number;
  readonly changedAt: number;
}

/** Flags visible to a kind of SDK. */
const EXPOSURE: Readonly<Record<SdkKind, (flag: CompiledFlag) => boolean>> = {
  server: () => true,
  mobile: ({ exposure }) => exposure.mobile,
  client: ({ exposure }) => exposure.client,
};

/** A served environment: its data, the status of their source, and its streams. */
export class Environment implements DataSink {
  readonly store = new FlagStore();
  readonly connection: ConnectionStatus;
  /** Undefined: there is no store of big segments. */
  bigSegments: BigSegmentReader | undefined;
  readonly streams: EnvironmentStreams;
  readonly origin: EnvironmentOrigin;
  /** Called when the options are replaced. */
  onReconfigure: () => void = () => {};
  readonly #clock: Clock;
  readonly #initTimeoutMs: number;
  #options: EnvironmentOptions;
  #changes = 0;
  #changedAt: number;
  readonly #exposed = new Map<SdkKind, readonly CompiledFlag[]>();

  constructor(options: EnvironmentOptions, { clock, initTimeoutMs, registry, origin }: EnvironmentParts) {
    this.#options = options;
    this.#clock = clock;
    this.#initTimeoutMs = initTimeoutMs;
    this.origin = origin ?? { createdAt: clock.now(), epoch: randomBytes(6).toString('base64url') };
    this.#changedAt = this.createdAt;
    this.connection = new ConnectionStatus(this.createdAt);
    const renew = () => {
      this.#changes++;
      this.#changedAt = clock.now();
      this.#exposed.clear();
    };
    this.store.subscribe({ replaced: renew, changed: renew, removed: renew, membersChanged: renew });
    this.streams = new EnvironmentStreams(this.store, registry, this, (context) => this.memberships(context));
    this.connection.subscribe(() => {
      if (this.connection.isRevoked) this.streams.endUnless(() => false);
    });
  }

  get options(): EnvironmentOptions {
    return this.#options;
  }

  /** Epoch milliseconds. */
  get createdAt(): number {
    return this.origin.createdAt;
  }

  /** Changes with the data; evaluations are the same as long as it is. */
  get revision(): string {
    return `${this.origin.epoch}${this.#changes.toString(36)}`;
  }

  /** The number of changes at a revision of this environment or a copy; undefined if it is of another process. */
  changesAt(revision: string): number | undefined {
    const { epoch } = this.origin;
    const changes = Number.parseInt(revision.slice(epoch.length), 36);
    return revision === `${epoch}${changes.toString(36)}` && changes <= this.#changes ? changes : undefined;
  }

  /** Time of the last change in epoch milliseconds; initially, of creation. */
  get changedAt(): number {
    return this.#changedAt;
  }

  get changes(): EnvironmentChanges {
    return { changes: this.#changes, changedAt: this.#changedAt };
  }

  /** Continues the revisions of the environment of which this one is a copy. */
  resume({ changes, changedAt }: EnvironmentChanges): void {
    this.#changes = changes;
    this.#changedAt = changedAt;
  }

  /** The flags visible to a kind of SDK, sorted by key. */
  exposed(sdkKind: SdkKind): readonly CompiledFlag[] {
    let flags = this.#exposed.get(sdkKind);
    if (!flags) {
      flags = this.store.flags().filter(EXPOSURE[sdkKind]);
      this.#exposed.set(sdkKind, flags);
    }
    return flags;
  }

  /**
   * The memberships in big segments that an evaluation for the context needs; undefined if it needs none. A promise, which
   * never rejects, unless all are cached.
   */
  memberships(context: Context): BigSegmentMemberships | undefined | Promise<BigSegmentMemberships> {
    const kinds = this.store.bigSegmentKinds;
    if (kinds.size === 0 || !this.bigSegments) return undefined;
    const { revision } = this;
    const found = this.bigSegments.read(keysOfKinds(context, kinds));
    if (!(found instanceof Promise)) return found;
    // Members, or the kinds that are needed, may have changed meanwhile.
    return found.then((memberships) =>
      revision === this.revision ? memberships : (this.memberships(context) ?? memberships),
    );
  }

  get readiness(): Readiness {
    if (this.store.isInitialised && !this.connection.isRevoked) return 'ready';
    if (this.connection.isRefusedFromTheStart) return 'refused';
    return this.#clock.now() - this.createdAt < this.#initTimeoutMs ? 'starting' : 'waiting';
  }

  /** Replaces the options for future requests; streams continue. Does not update Credentials. */
  reconfigure(options: EnvironmentOptions): void {
    this.#options = options;
    this.onReconfigure();
  }

  /** Ends every stream; resolves when they are flushed. Idempotent. */
  close(): Promise<void> {
    return this.streams.close();
  }
}

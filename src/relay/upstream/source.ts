import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import { accepted, type Outcome } from '../../kernel/outcome.ts';
import type { EnvironmentOptions, RelayOptions } from '../config/relay-options.ts';
import type { DataSink, DataSource } from '../data-source.ts';
import { applyChange, readUpstreamEvent } from './change.ts';
import { type FollowedConnection, type FollowerLimits, StreamFollower, type Taken } from './follower.ts';
import { streamUrl, type UpstreamHttp } from './stream.ts';

export interface UpstreamParts {
  readonly environment: EnvironmentOptions;
  readonly options: Pick<RelayOptions, 'streamUri'>;
  readonly clock: Clock;
  /** The log of the environment: its lines name it. */
  readonly log: Log;
  readonly http: UpstreamHttp;
  readonly random?: () => number;
  readonly limits?: Partial<FollowerLimits>;
}

const WORDS = { failed: 'upstream failed', refused: 'upstream refuses the SDK key', keyField: 'sdkKey' };

/**
 * The stream of one environment, from LaunchDarkly or another relay; reconnects when it ends. The store keeps its data
 * during an outage. After a rotation of the key, the stream of the old one goes on until that of the new one delivers or the
 * old key ends.
 */
export function createUpstreamSource(sink: DataSink, parts: UpstreamParts): DataSource {
  return new UpstreamSource(sink, parts);
}

class UpstreamSource implements DataSource {
  readonly #sink: DataSink;
  readonly #parts: UpstreamParts;
  /** Of the newest key; its connection is that of the sink. */
  #current: StreamFollower;
  #former: readonly StreamFollower[] = [];
  #isStarted = false;
  #closing: Promise<void> | undefined;

  constructor(sink: DataSink, parts: UpstreamParts) {
    this.#sink = sink;
    this.#parts = parts;
    this.#current = this.#open(parts.environment);
  }

  start(): void {
    this.#isStarted = true;
    this.#current.start();
  }

  use(environment: EnvironmentOptions): void {
    if (this.#closing) return;
    if (environment.sdkKey !== this.#current.key) {
      this.#former = [...this.#former, this.#current];
      this.#current = this.#open(environment);
      this.#sink.connection.renewed(this.#parts.clock.now());
      if (this.#isStarted) this.#current.start();
    }
    const valid = (environment.additionalKeys ?? []).map(({ key }) => key);
    this.#keepFormer(({ key }) => valid.includes(key));
  }

  refresh(): void {
    this.#current.refresh();
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    await Promise.all([this.#current, ...this.#former].map((follower) => follower.close()));
  }

  #open({ sdkKey, filter }: EnvironmentOptions): StreamFollower {
    const follower: StreamFollower = new StreamFollower(
      {
        url: streamUrl(this.#parts.options.streamUri, '/all', filter ? { filter } : {}),
        key: sdkKey,
        words: WORDS,
        connection: this.#connectionOf(() => follower),
        take: (event, data) => this.#take(event, data),
      },
      this.#parts,
    );
    return follower;
  }

  /** Only the stream of the newest key is reported. */
  #connectionOf(follower: () => StreamFollower): FollowedConnection {
    const { connection } = this.#sink;
    const isCurrent = () => this.#current === follower();
    return {
      succeeded: (now) => {
        if (!isCurrent()) return;
        connection.succeeded(now);
        this.#keepFormer(() => false);
      },
      failed: (error) => void (isCurrent() && connection.failed(error)),
      refused: (error) => void (isCurrent() && connection.refused(error)),
    };
  }

  #keepFormer(isKept: (follower: StreamFollower) => boolean): void {
    const ended = this.#former.filter((follower) => !isKept(follower));
    this.#former = this.#former.filter(isKept);
    for (const follower of ended) void follower.close();
  }

  #take(event: string, data: string): Outcome<Taken> {
    const { store, connection } = this.#sink;
    const read = readUpstreamEvent(event, data);
    if (!read.ok) return read;
    const change = read.value;
    const applied = applyChange(store, change);
    if (!applied.ok) return applied;
    if (change.kind === 'ignored') return accepted(change);
    if (change.kind !== 'put') return accepted({ kind: 'change' });
    this.#parts.log[connection.state === 'VALID' ? 'debug' : 'info']('upstream has sent its data', {
      flags: Object.keys(change.data.flags).length,
      segments: Object.keys(change.data.segments).length,
    });
    return accepted({ kind: 'data' });
  }
}

import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import { CommandError, ExitCode, messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { accepted, type Outcome } from '../../kernel/outcome.ts';
import type { AutoConfigOptions } from '../config/relay-options.ts';
import type { Credentials } from '../credentials.ts';
import type { EnvironmentList } from '../environment-list/list.ts';
import { maskKey } from '../masking.ts';
import { type ConnectionError, ConnectionStatus } from '../status/connection-status.ts';
import { type FollowedConnection, type FollowerParts, StreamFollower, type Taken } from '../upstream/follower.ts';
import { streamUrl } from '../upstream/stream.ts';
import type { ConfigurationMemory } from './memory.ts';
import { readConfiguration, readConfigurationEvent } from './message.ts';
import { type AppliedChange, AutoConfigState } from './state.ts';

export interface AutoConfigParts extends Omit<FollowerParts, 'clock' | 'log'> {
  readonly options: AutoConfigOptions;
  readonly streamUri: string;
  readonly list: Pick<EnvironmentList, 'update'>;
  readonly credentials: Pick<Credentials, 'isComplete'>;
  readonly memories: readonly ConfigurationMemory[];
  /** The start fails without a list of environments after this time; undefined: never. */
  readonly deadlineMs: number | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

const WORDS = {
  failed: 'the stream of the automatic configuration failed',
  refused: 'LaunchDarkly refuses the automatic configuration key',
  keyField: 'key',
};
/** The last configuration is used after this time without an answer, or at the first failure. */
const RESTORE_AFTER_MS = 3000;
/** If it could not be read. */
const RESTORE_AGAIN_MS = 10_000;
const INVALID_KEY: readonly (number | undefined)[] = [401, 403];

/** Fills the list of environments from LaunchDarkly's automatic configuration, and follows its changes. */
export class AutoConfigSync {
  readonly connection: ConnectionStatus;
  /** Resolves with the first list of environments; rejects with a CommandError: the key is wrong, or there is no list in time. */
  readonly listed: Promise<void>;
  readonly #parts: AutoConfigParts;
  readonly #state: AutoConfigState;
  readonly #follower: StreamFollower;
  #resolveListed = () => {};
  #rejectListed = (_: CommandError) => {};
  #cancelDeadline: CancelTimer = () => {};
  #cancelRestoring: CancelTimer = () => {};
  /** Whether LaunchDarkly itself has sent the configuration. */
  #isCurrent = false;
  #restoring: Promise<void> | undefined;
  #isClosed = false;

  constructor(parts: AutoConfigParts) {
    const { options, streamUri, clock } = parts;
    this.#parts = parts;
    this.#state = new AutoConfigState(options);
    this.connection = new ConnectionStatus(clock.now());
    this.listed = new Promise((resolve, reject) => {
      this.#resolveListed = resolve;
      this.#rejectListed = reject;
    });
    // Awaited by the owner later, if at all.
    this.listed.catch(() => {});
    this.#follower = new StreamFollower(
      {
        url: streamUrl(streamUri, '/relay_auto_config', { rpacProtocolVersion: '2' }),
        key: options.key,
        words: WORDS,
        connection: this.#reportedConnection(),
        take: (event, data) => this.#take(event, data),
      },
      parts,
    );
  }

  start(): void {
    const { credentials, deadlineMs, clock } = this.#parts;
    credentials.isComplete = false;
    this.#cancelRestoring = clock.after(RESTORE_AFTER_MS, () => this.#restore());
    this.#follower.start();
    if (deadlineMs === undefined) return;
    this.#cancelDeadline = clock.after(deadlineMs, () =>
      this.#fail(`no list of environments from LaunchDarkly within ${deadlineMs / 1000} s; see the log`),
    );
  }

  /** Connects at once if the key was refused. */
  refresh(): void {
    this.#follower.refresh();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelDeadline();
    this.#cancelRestoring();
    await Promise.all([this.#follower.close(), this.#restoring]);
    await Promise.all(this.#parts.memories.map((memory) => memory.close()));
  }

  #reportedConnection(): FollowedConnection {
    const { connection } = this;
    return {
      succeeded: (now) => connection.succeeded(now),
      failed: (error) => {
        connection.failed(error);
        this.#restore();
      },
      refused: (error) => this.#refuse(error),
    };
  }

  /** A refusal at the start ends the relay: the key is wrong. With a list of environments it continues. */
  #refuse(error: ConnectionError): void {
    this.connection.refused(error);
    if (this.#parts.credentials.isComplete || !INVALID_KEY.includes(error.statusCode)) return;
    this.#isClosed = true;
    const key = maskKey(this.#parts.options.key);
    this.#fail(
      `LaunchDarkly refuses the automatic configuration key ${key} (${error.statusCode}): check AUTO_CONFIG_KEY`,
    );
  }

  #fail(reason: string): void {
    this.#rejectListed(new CommandError(reason, ExitCode.failed));
  }

  #take(event: string, data: string): Outcome<Taken> {
    const read = readConfigurationEvent(event, data);
    if (!read.ok) return read;
    const change = read.value;
    if (change.kind === 'reconnect') {
      this.#parts.log.info('LaunchDarkly asks for a new connection of the automatic configuration');
      return accepted({ kind: 'reconnect' });
    }
    if (change.kind === 'ignored') return accepted(change);
    this.#isCurrent ||= change.kind === 'put';
    this.#apply(change);
    if (this.#isCurrent) for (const memory of this.#parts.memories) memory.keep(() => this.#state.json);
    return accepted({ kind: change.kind === 'put' ? 'data' : 'change' });
  }

  #apply(change: AppliedChange): void {
    const { list, credentials, log } = this.#parts;
    for (const { item, error } of this.#state.apply(change))
      log.error('an item of the automatic configuration cannot be used; its last version stays in use', {
        item,
        error,
      });
    // Before the first put the list is not complete.
    if (change.kind !== 'put' && !credentials.isComplete) return;
    const { environments } = this.#state;
    list.update(environments);
    if (change.kind === 'put') log.info('automatic configuration', { environments: environments.length });
    if (!credentials.isComplete) credentials.isComplete = true;
    this.#cancelDeadline();
    this.#resolveListed();
  }

  /** When LaunchDarkly is known to fail. */
  #restore(): void {
    if (!this.#parts.credentials.isComplete && !this.#isClosed) this.#restoring ??= this.#restoreFirst();
  }

  /** Uses the first configuration that a memory has, unless LaunchDarkly has sent one meanwhile. */
  async #restoreFirst(): Promise<void> {
    const { memories, clock, log } = this.#parts;
    let hasFailed = false;
    for (const memory of memories) {
      try {
        const json = await memory.read();
        if (this.#isCurrent || this.#isClosed) return;
        if (json === undefined) continue;
        const read = readConfiguration(json);
        if (!read.ok) throw new Error(read.reason);
        log.info('using the last configuration until LaunchDarkly delivers');
        return this.#apply({ kind: 'put', configuration: read.value });
      } catch (error) {
        hasFailed = true;
        log.warn('the last configuration cannot be used', { error: messageOf(error) });
      }
    }
    if (!hasFailed || this.#isClosed) return;
    // A database may start together with the relay.
    this.#cancelRestoring = clock.after(RESTORE_AGAIN_MS, () => {
      this.#restoring = undefined;
      this.#restore();
    });
  }
}

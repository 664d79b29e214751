import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { AgentReading, AgentStatus } from '../contract/agents.ts';
import type { AgentId } from './event.ts';
import type { AgentSummary } from './source.ts';
import type { AgentStorePart, EventPage, EventRange } from './store/contract.ts';
import { type AgentStoreOptions, startAgentStore } from './store/thread.ts';

export interface AgentUsageOptions {
  readonly agents: readonly AgentId[];
  readonly env: NodeJS.ProcessEnv;
  /** The home folder of the user whose logs are read. */
  readonly home: string;
  /** Holds the usage read so far; without it, or write access to it, everything is read again at each start. */
  readonly dataDir: string | undefined;
  /** A file of prices that overrides the built-in table. */
  readonly prices?: string | undefined;
  readonly log: Log;
  readonly clock: Clock;
  readonly onProgress?: (reading: AgentReading) => void;
}

/** The reader ended unexpectedly, for instance without memory; it starts again after this time. */
const RESTART_MS = 5_000;

/** The usage of coding assistants, read from their logs in a thread of its own, and followed as they grow. */
export class AgentUsage {
  readonly #options: AgentUsageOptions;
  readonly #startPart: typeof startAgentStore;
  readonly #listeners = new Set<(version: number) => void>();
  readonly #firstReading: Promise<void>;
  /** Settles the first reading: with a reason it is rejected. */
  #endFirstReading: (reason?: Error) => void = () => {};
  #part: AgentStorePart;
  #status: AgentStatus;
  #cancelRestart: CancelTimer | undefined;
  #isClosed = false;

  private constructor(
    options: AgentUsageOptions,
    startPart: typeof startAgentStore,
    part: AgentStorePart,
    status: AgentStatus,
  ) {
    this.#options = options;
    this.#startPart = startPart;
    this.#part = part;
    this.#status = status;
    this.#firstReading = new Promise((resolve, reject) => {
      this.#endFirstReading = (reason) => (reason ? reject(reason) : resolve());
    });
    this.#firstReading.catch(() => {});
  }

  /**
   * Resolves when stored usage can be asked for; new lines are read from then on. A CommandError names the fault of the
   * prices.
   */
  static async open(options: AgentUsageOptions, startPart = startAgentStore): Promise<AgentUsage> {
    const part = startPart(storeOptionsOf(options), options.log);
    try {
      const { status } = await part.methods.status(0);
      const usage = new AgentUsage(options, startPart, part, status);
      void usage.#follow(part);
      return usage;
    } catch (error) {
      await part.end();
      throw error;
    }
  }

  /** Grows with every change of the events, also across restarts. */
  get version(): number {
    return this.#status.version;
  }

  /** Called with the new version after each change; returns the end of the subscription. */
  onChange(listener: (version: number) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What was read and skipped so far. */
  status(): AgentStatus {
    return this.#status;
  }

  /** Resolves when all logs have been read once; rejects if they cannot be stored, and if this is closed before. */
  firstReading(): Promise<void> {
    return this.#firstReading;
  }

  /**
   * The events of a range in the form of the live API, newest first, each as its JSON text, in parts. Only
   * one part is in memory. Rejects once `signal` is aborted.
   */
  async *events(agent: AgentId, range: EventRange = {}, signal?: AbortSignal): AsyncIterable<readonly string[]> {
    for (let after: EventPage['next']; ; ) {
      signal?.throwIfAborted();
      const page: EventPage = await this.#part.methods.page(agent, range, after);
      if (page.lines !== '') yield page.lines.split('\n');
      after = page.next;
      if (!after) return;
    }
  }

  /** The number of events in a range. */
  count(agent: AgentId, range: EventRange = {}): Promise<number> {
    return this.#part.methods.count(agent, range);
  }

  /**
   * The earliest instant of the events that were added or replaced after a version; undefined: nothing has changed. A
   * holder of that version's events drops those from this instant on, and asks for `{ startAt }`.
   */
  changedFrom(agent: AgentId, version: number): Promise<number | undefined> {
    return this.#part.methods.changedFrom(agent, version);
  }

  /** The current month in the form of upstream's usage summary: see the specification of the live API. */
  summary(agent: AgentId): Promise<AgentSummary> {
    return this.#part.methods.summary(agent);
  }

  /** For a caller that asks for what was read and then closes this: frees some 30 MB after 60,000 files. */
  stopReading(): Promise<void> {
    return this.#part.methods.stopReading();
  }

  /** Stops reading. What was read is kept. Idempotent. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelRestart?.();
    this.#endFirstReading(new Error('the reader of logs is closed'));
    await this.#part.methods.close().catch(() => {});
    await this.#part.end();
  }

  async #follow(part: AgentStorePart): Promise<void> {
    try {
      for (let seen = 0; !this.#isClosed; ) {
        const { number, status } = await part.methods.status(seen);
        seen = number;
        this.#take(status);
      }
    } catch (error) {
      if (this.#isClosed) return;
      this.#options.log.error('the reader of the logs of coding assistants has ended; starting it again', {
        err: messageOf(error),
      });
      this.#cancelRestart = this.#options.clock.after(RESTART_MS, () => void this.#restart(part));
    }
  }

  async #restart(dead: AgentStorePart): Promise<void> {
    await dead.end();
    if (this.#isClosed) return;
    this.#part = this.#startPart({ ...storeOptionsOf(this.#options), isSuspect: true }, this.#options.log);
    void this.#follow(this.#part);
  }

  #take(status: AgentStatus): void {
    const before = this.#status.version;
    this.#status = status;
    if (status.problem !== undefined) this.#endFirstReading(new Error(status.problem));
    if (status.reading) this.#options.onProgress?.(status.reading);
    else this.#endFirstReading();
    if (status.version !== before) for (const listener of [...this.#listeners]) listener(status.version);
  }
}

function storeOptionsOf({ agents, env, home, dataDir, prices }: AgentUsageOptions): AgentStoreOptions {
  return { agents, env: { ...env }, home, dataDir, prices };
}

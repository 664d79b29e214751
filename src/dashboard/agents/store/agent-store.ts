import type { Clock } from '../../../kernel/clock.ts';
import type { Log } from '../../../kernel/log.ts';
import type { AgentStatus } from '../../contract/agents.ts';
import type { AgentId } from '../event.ts';
import type { AgentLogs } from '../logs/log.ts';
import type { AgentSummary } from '../source.ts';
import type { AgentStoreMethods, EventPage, EventRange, NumberedStatus, PageEnd } from './contract.ts';
import { type Pricing, textOf } from './event-text.ts';
import { LogFollower, type WatchFolder } from './follower.ts';
import { LogReading } from './log-reading.ts';
import { monthOf, summarise } from './month.ts';
import { reportOn } from './report.ts';
import type { FileMark, UsageDatabase } from './usage-database.ts';

export interface AgentStoreParts {
  readonly agents: readonly AgentFolders[];
  readonly database: UsageDatabase;
  readonly pricing: Pricing;
  readonly clock: Clock;
  readonly log: Log;
  readonly watchFolder?: WatchFolder;
}

export interface AgentFolders {
  readonly logs: AgentLogs;
  /** Existing or not. */
  readonly folders: readonly string[];
}

/** Larger pages take more memory in both threads: what is alive when V8 collects young objects may become old. */
const PAGE_EVENTS = 200;
/** Minimum time between two statuses during the first reading. */
const STATUS_MS = 250;
/** The same, as a multiple of the time that the last status took, as each counts all events. */
const STATUS_PAUSE = 20;

/** Reads the logs of agents, follows them, and answers what was read. */
export class AgentStore implements AgentStoreMethods {
  readonly #parts: AgentStoreParts;
  readonly #reading: LogReading;
  readonly #follower: LogFollower;
  #status: NumberedStatus | undefined;
  /** What the status was made of. */
  #basis = '';
  #waiting: (() => void)[] = [];
  #isFirstReading = true;
  /** During the first reading. */
  #nextStatusAt = Number.NEGATIVE_INFINITY;
  /** Statuses are written one after another. */
  #writing: Promise<void> = Promise.resolve();
  readonly #namedModels = new Set<string>();
  #isReading = true;
  #isClosed = false;

  private constructor(parts: AgentStoreParts, marks: Map<string, FileMark>) {
    this.#parts = parts;
    const onRead = () => this.#update();
    this.#reading = new LogReading({ ...parts, onRead }, marks);
    this.#follower = new LogFollower({ ...parts, reading: this.#reading, onTick: onRead });
    this.#isFirstReading = !this.#reading.isIdle;
  }

  /** Resolves when what is stored can be asked; reading has begun. */
  static async open(parts: AgentStoreParts): Promise<AgentStore> {
    const store = new AgentStore(parts, await parts.database.files());
    await store.#writeStatus();
    return store;
  }

  async status(seen: number): Promise<NumberedStatus> {
    while (!this.#isClosed && (this.#status?.number ?? 0) <= seen)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (!this.#status || this.#isClosed) throw new Error('the reader of logs is closed');
    return this.#status;
  }

  async page(agent: AgentId, range: EventRange, after: PageEnd | undefined): Promise<EventPage> {
    const { database, pricing } = this.#parts;
    const events = await database.page(agent, range, after, PAGE_EVENTS);
    const last = events.length === PAGE_EVENTS ? events.at(-1) : undefined;
    return {
      lines: events.map((event) => textOf(event, pricing.centsOf(event))).join('\n'),
      next: last && { at: last.at, id: last.id },
    };
  }

  count(agent: AgentId, range: EventRange): Promise<number> {
    return this.#parts.database.count(agent, range);
  }

  changedFrom(agent: AgentId, version: number): Promise<number | undefined> {
    return this.#parts.database.changedFrom(agent, version);
  }

  async summary(agent: AgentId): Promise<AgentSummary> {
    const { database, pricing, clock } = this.#parts;
    const month = monthOf(clock.now());
    const range = { startAt: month.start, endAt: month.end - 1 };
    let cents = 0;
    for (let after: PageEnd | undefined; ; ) {
      const events = await database.page(agent, range, after, PAGE_EVENTS);
      for (const event of events) cents += pricing.centsOf(event) ?? 0;
      after = events.at(-1);
      if (events.length < PAGE_EVENTS) return summarise(month, cents);
    }
  }

  async stopReading(): Promise<void> {
    this.#isReading = false;
    this.#follower.close();
    await this.#reading.close();
    await this.#writing;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.stopReading();
    await this.#parts.database.close();
    this.#wake();
  }

  /** Writes the status, during the first reading not too often. */
  #update(): void {
    const { clock } = this.#parts;
    if (this.#reading.isIdle) this.#isFirstReading = false;
    else if (this.#isFirstReading && clock.monotonic() < this.#nextStatusAt) return;
    this.#nextStatusAt = Number.POSITIVE_INFINITY;
    this.#writing = this.#writing.then(async () => {
      const startedAt = clock.monotonic();
      await this.#writeStatus();
      const endedAt = clock.monotonic();
      this.#nextStatusAt = endedAt + Math.max(STATUS_MS, STATUS_PAUSE * (endedAt - startedAt));
    });
  }

  async #writeStatus(): Promise<void> {
    if (!this.#isReading) return;
    const version = await this.#parts.database.version();
    const reading = this.#isFirstReading ? this.#reading.progress : undefined;
    const basis = JSON.stringify([
      version,
      this.#follower.number,
      this.#reading.number,
      reading,
      this.#reading.failure,
    ]);
    if (basis === this.#basis) return;
    this.#basis = basis;
    const status = { ...(await this.#describe()), version, reading, problem: this.#reading.failure };
    this.#nameModels(status.unknownModels);
    this.#status = { number: (this.#status?.number ?? 0) + 1, status };
    this.#wake();
  }

  async #describe(): Promise<Pick<AgentStatus, 'agents' | 'unknownModels' | 'prices'>> {
    const { agents, database, pricing } = this.#parts;
    const reports = agents.map(async ({ logs, folders }) => {
      const events = await database.count(logs.id, {});
      const report = reportOn(logs, events, this.#follower, this.#reading);
      const missing = folders.filter((path) => !report.folders.some((known) => known.path === path));
      return { ...report, folders: [...report.folders, ...missing.map((path) => ({ path, files: 0 }))] };
    });
    const models = await Promise.all(agents.map(({ logs }) => database.models(logs.id)));
    return {
      agents: await Promise.all(reports),
      unknownModels: [...new Set(models.flat())].filter((model) => !pricing.hasPrice(model)).sort(),
      prices: { asOf: pricing.asOf },
    };
  }

  #nameModels(unknown: readonly string[]): void {
    const added = unknown.filter((model) => !this.#namedModels.has(model));
    if (added.length === 0) return;
    for (const model of added) this.#namedModels.add(model);
    this.#parts.log.warn('models without a price: their requests have tokens, but no cost', {
      models: added.join(', '),
    });
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

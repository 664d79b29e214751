import { appendFileSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Log } from '../../kernel/log.ts';
import { createLog } from '../../kernel/log.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { type Cleanup, temporaryFolder } from '../../testing/processes.ts';
import type { AgentEvent, AgentId } from '../agents/event.ts';
import type { AgentLogs } from '../agents/logs/log.ts';
import { AgentStore } from '../agents/store/agent-store.ts';
import type { EventRange, PageEnd } from '../agents/store/contract.ts';
import type { Pricing } from '../agents/store/event-text.ts';
import type { WatchFolder } from '../agents/store/follower.ts';
import { openUsageDatabase } from '../agents/store/open-database.ts';
import type { UsageDatabase } from '../agents/store/usage-database.ts';
import type { AgentStatus } from '../contract/agents.ts';

export const NOW = Date.UTC(2026, 2, 15, 12);

/** A line that the fake reader understands. */
export function line(key: string, fields: Partial<AgentEvent> = {}): string {
  return `${JSON.stringify({ key, at: NOW, ...fields })}\n`;
}

/** Logs of lines like those of `line`, or of one JSON list of them; the reader counts what it has read. */
export class FakeLogs implements AgentLogs {
  readonly id: AgentId;
  readonly form: 'lines' | 'whole';
  /** Each opened log, with the state that its reader got. */
  readonly opened: string[] = [];
  lines = 0;
  /** Thrown when a log is opened. */
  failure: Error | undefined;

  constructor(id: AgentId = 'claude', form: 'lines' | 'whole' = 'lines') {
    this.id = id;
    this.form = form;
  }

  folders(): readonly string[] {
    return [];
  }

  isLog(path: string): boolean {
    return path.endsWith('.log');
  }

  open(path: string, state = '0') {
    if (this.failure) throw this.failure;
    this.opened.push(`${path} ${state}`);
    let count = Number(state);
    return {
      read: (bytes: Buffer) => {
        count++;
        this.lines++;
        const value: unknown = JSON.parse(bytes.toString());
        return (Array.isArray(value) ? value : [value]).flatMap(eventOf);
      },
      state: () => String(count),
    };
  }
}

function eventOf(fields: Partial<AgentEvent>): AgentEvent[] {
  if (!fields.key) return [];
  const tokens = { input: 1, output: 2, cacheWrite: 3, cacheWriteHour: 0, cacheRead: 4 };
  return [{ model: 'm1', project: 'p1', rank: 0, ...tokens, ...fields } as AgentEvent];
}

/** A cent for each token of output. */
export const PRICING: Pricing = {
  asOf: '2026-03-01',
  centsOf: ({ model, output }) => (model === 'free' ? undefined : output),
  hasPrice: (model) => model !== 'free',
};

/** The folder of one agent's logs, and stores over it. */
export class LogFolder {
  readonly clock = new FakeClock(NOW);
  readonly path: string;
  readonly dataDir: string;
  readonly #t: Cleanup;
  #lines = '';
  readonly log: Log = createLog({
    level: 'debug',
    format: 'logfmt',
    clock: this.clock,
    write: (text) => {
      this.#lines += text;
    },
  });

  constructor(t: Cleanup) {
    this.#t = t;
    const folder = temporaryFolder(t);
    this.path = join(folder, 'logs');
    this.dataDir = join(folder, 'data');
    mkdirSync(this.path);
  }

  /** What was logged. */
  get logged(): string {
    return this.#lines;
  }

  pathOf(name: string): string {
    return join(this.path, name);
  }

  write(name: string, ...texts: readonly string[]): void {
    mkdirSync(dirname(this.pathOf(name)), { recursive: true });
    writeFileSync(this.pathOf(name), texts.join(''));
  }

  append(name: string, ...texts: readonly string[]): void {
    appendFileSync(this.pathOf(name), texts.join(''));
  }

  async open(logs: AgentLogs = new FakeLogs(), options: StoreOptions = {}): Promise<OpenStore> {
    const { clock, log, path } = this;
    const opened = options.database ?? (await openUsageDatabase(this.dataDir, clock, log));
    const hints = new Map<string, { readonly inode: number; readonly report: (name: string | null) => void }>();
    // The system follows a folder, not its name.
    const watchFolder: WatchFolder = (folder, report) => {
      hints.set(folder, { inode: statSync(folder).ino, report });
      return { close: () => void hints.delete(folder) };
    };
    const report = (name: string) => {
      const path = dirname(this.pathOf(name));
      const hint = hints.get(path);
      if (hint?.inode === statSync(path).ino) hint.report(basename(name));
    };
    const agents = [{ logs, folders: [path] }];
    const pricing = options.pricing ?? PRICING;
    const store = await AgentStore.open({ agents, database: opened, pricing, clock, log, watchFolder });
    this.#t.after(() => store.close());
    return new OpenStore(store, logs, clock, report);
  }
}

interface StoreOptions {
  readonly database?: UsageDatabase;
  readonly pricing?: Pricing;
}

/** An event in the live API's form. */
export interface LiveForm {
  readonly timestamp: string;
  readonly model: string;
  readonly project: string;
  readonly chargedCents?: number;
  readonly tokenUsage: Readonly<
    Record<'inputTokens' | 'outputTokens' | 'cacheWriteTokens' | 'cacheReadTokens', number>
  >;
}

/** A store, as its thread's starter sees it. */
export class OpenStore {
  readonly store: AgentStore;
  readonly #logs: AgentLogs;
  readonly #clock: FakeClock;
  readonly #report: (name: string) => void;

  constructor(store: AgentStore, logs: AgentLogs, clock: FakeClock, report: (name: string) => void) {
    this.store = store;
    this.#logs = logs;
    this.#clock = clock;
    this.#report = report;
  }

  /** The first status that passes. */
  async until(isExpected: (status: AgentStatus) => boolean): Promise<AgentStatus> {
    for (let seen = 0; ; ) {
      const { number, status } = await this.store.status(seen);
      if (isExpected(status)) return status;
      seen = number;
    }
  }

  /** The status after the first reading. */
  ready(): Promise<AgentStatus> {
    return this.until(({ reading }) => reading === undefined);
  }

  /** The system reports a change of a log; resolves when its events are there. */
  async changed(name: string): Promise<AgentStatus> {
    const { version } = (await this.store.status(0)).status;
    this.reported(name);
    return this.until((status) => status.version > version);
  }

  reported(name: string): void {
    this.#report(name);
    this.#clock.advance(100);
  }

  async events(range: EventRange = {}): Promise<readonly LiveForm[]> {
    const events: LiveForm[] = [];
    for (let after: PageEnd | undefined; ; ) {
      const page = await this.store.page(this.#logs.id, range, after);
      if (page.lines !== '') events.push(...page.lines.split('\n').map((text) => JSON.parse(text) as LiveForm));
      after = page.next;
      if (!after) return events;
    }
  }

  /** The output tokens of all events, the newest first. */
  async outputs(): Promise<readonly number[]> {
    return (await this.events()).map(({ tokenUsage }) => tokenUsage.outputTokens);
  }
}

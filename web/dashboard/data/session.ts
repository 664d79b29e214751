import type { ListedUser } from '../../../src/dashboard/contract/user-list.ts';
import type { CsvFileResult } from '../../../src/dashboard/domain/csv/file.ts';
import { guessUser } from '../../../src/dashboard/domain/csv/file.ts';
import type { Clock } from '../../shared/clock.ts';
import type { LiveUserResult, Progress } from '../text/messages.ts';
import { KeptFiles } from './kept-files.ts';
import type { AskOptions, WorkerClient } from './worker-client.ts';
import { Cancelled } from './worker-client.ts';

/** The page's part of a session. */
export interface SessionHost {
  /** Shows a task while it runs. */
  follow<Result>(
    work: { readonly kind: 'file' | 'live'; readonly name: string },
    run: (onProgress: (progress: Progress) => void, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result>;
  /** Asks for the user of these files; undefined: do not load them. */
  askUser(names: readonly string[]): Promise<string | undefined>;
  /** Reports a file as read or failed; `isChosen`: the person has just dropped or chosen it. */
  report(result: CsvFileResult | { readonly name: string; readonly failure: string }, isChosen: boolean): void;
}

export interface LiveStatus {
  readonly results: readonly LiveUserResult[];
  readonly at: number;
}

/** The data in the worker: files, live events, or the sample until there are any. */
export class Session {
  readonly #worker: WorkerClient;
  readonly #clock: Clock;
  readonly #host: SessionHost;
  readonly #sampleFiles: number[] = [];
  readonly #tried: string[] = [];
  #users: readonly ListedUser[] = [];
  readonly #copies = new KeptFiles();
  /** Files that the browser keeps. */
  #kept: readonly { readonly name: string; readonly fileId: number }[] = [];
  #files = 0;
  #live: LiveStatus | undefined;

  constructor(worker: WorkerClient, clock: Clock, host: SessionHost) {
    this.#worker = worker;
    this.#clock = clock;
    this.#host = host;
  }

  get users(): readonly ListedUser[] {
    return this.#users;
  }

  get isSample(): boolean {
    return this.#sampleFiles.length > 0;
  }

  /** Whether there are data other than the sample. */
  get hasData(): boolean {
    return this.#files > 0 || this.#live?.results.some(({ events }) => events > 0) === true;
  }

  get hasFiles(): boolean {
    return this.#files > 0;
  }

  /** Names of the files that are there again after a reload. */
  get keptFiles(): readonly string[] {
    return this.#kept.map(({ name }) => name);
  }

  /** Addresses without a file. */
  get tried(): readonly string[] {
    return this.#tried;
  }

  get live(): LiveStatus | undefined {
    return this.#live;
  }

  get tokenUsers(): readonly string[] {
    return this.#users.filter(({ hasToken }) => hasToken).map(({ label }) => label);
  }

  /** The assistants whose logs the server reads. */
  get agents(): readonly string[] {
    return this.#users.filter(({ isAgent }) => isAgent).map(({ label }) => label);
  }

  /** Fetches the default files of all users, then those that the browser keeps. */
  async start(users: readonly ListedUser[]): Promise<void> {
    this.#users = users;
    const known = users.map(({ label, emails }) => (emails[0] ? { label, email: emails[0] } : { label }));
    // The worker handles requests in order: no need to wait for its start.
    await Promise.all([
      this.#worker.ask({ type: 'start', users: known }),
      ...users.flatMap(({ label, defaultCsvPaths, isAgent }) => {
        if (defaultCsvPaths.length === 0 && !isAgent) this.#tried.push(`./data/usage-events-${label}.csv`);
        return defaultCsvPaths.map((path) => this.#fetchFile(path, label));
      }),
    ]);
    const labels = users.map(({ label }) => label);
    for (const { name, user, file } of await this.#copies.list()) {
      const result = await this.#read(name, labels.includes(user) ? user : (labels[0] ?? user), file, false);
      if (result !== 'missing') this.#noteKept(name, result?.fileId);
    }
  }

  /** Deletes the browser's copies of files, and their requests. */
  async forgetFiles(): Promise<void> {
    const fileIds = this.#kept.map(({ fileId }) => fileId);
    this.#kept = [];
    this.#files -= fileIds.length;
    await Promise.all([this.#copies.forget(), this.#worker.ask({ type: 'remove-files', fileIds })]);
  }

  #noteKept(name: string, fileId: number | undefined): void {
    if (fileId !== undefined) this.#kept = [...this.#kept, { name, fileId }];
  }

  async loadSample(): Promise<void> {
    await Promise.all(
      this.#users.map(async ({ label }) => {
        const name = `usage-events-${label}.csv`;
        const from = new URL(`./sample/${name}`, document.baseURI).href;
        const result = await this.#worker.ask({ type: 'csv', name, user: label, now: this.#clock.now(), from });
        if (result !== 'missing' && result.fileId !== undefined) this.#sampleFiles.push(result.fileId);
      }),
    );
    // Real data may have arrived meanwhile.
    if (this.hasData) await this.#dropSample();
  }

  /** Reads chosen or dropped files. */
  async addFiles(files: readonly File[]): Promise<void> {
    const labels = this.#users.map(({ label }) => label);
    const nameless = files.filter(({ name }) => guessUser(name, labels) === undefined);
    const isAsked = nameless.length > 0 && labels.length > 1;
    const chosen = isAsked ? await this.#host.askUser(nameless.map(({ name }) => name)) : labels[0];
    for (const file of files) {
      const user = guessUser(file.name, labels) ?? chosen;
      if (user === undefined) continue;
      const result = await this.#read(file.name, user, file, true);
      if (result === undefined || result === 'missing' || result.fileId === undefined) continue;
      if (await this.#copies.keep(file.name, user, file)) this.#noteKept(file.name, result.fileId);
    }
  }

  /** Updates live events; undefined if no user has a token, or it was cancelled. */
  async updateLive(
    from: number | undefined,
    options: { readonly refresh: boolean; readonly atLeast?: number | undefined; readonly quietly?: AbortSignal },
  ): Promise<LiveStatus | undefined> {
    const users = this.tokenUsers;
    if (users.length === 0) return undefined;
    const { refresh, atLeast } = options;
    const { agents } = this;
    const ask = (more: AskOptions) =>
      this.#worker.ask({ type: 'live', users, agents, from, now: this.#clock.now(), refresh, atLeast }, more);
    try {
      const results = options.quietly
        ? await ask({ signal: options.quietly })
        : await this.#host.follow({ kind: 'live', name: users.join(', ') }, (onProgress, signal) =>
            ask({ onProgress, signal }),
          );
      this.#live = { results, at: this.#clock.now() };
    } catch (error) {
      if (error instanceof Cancelled) return undefined;
      throw error;
    }
    if (this.hasData) await this.#dropSample();
    return this.#live;
  }

  /** Fetches what has changed in logs; false if no live data were fetched before. */
  async updateAgents(): Promise<boolean> {
    const known = this.#live;
    if (!known) return false;
    const { agents } = this;
    const changed = await this.#worker.ask({ type: 'changes', agents, now: this.#clock.now() });
    const others = known.results.filter(({ user }) => !changed.some((result) => result.user === user));
    this.#live = { results: [...others, ...changed], at: this.#clock.now() };
    return true;
  }

  async forgetLive(): Promise<void> {
    this.#live = undefined;
    await this.#worker.ask({ type: 'clear-live' });
  }

  /** Not reported if the file does not exist. */
  async #fetchFile(path: string, user: string): Promise<void> {
    const name = path.replace(/^.*\//, '');
    const result = await this.#read(name, user, new URL(path, document.baseURI).href, false);
    if (result === 'missing') this.#tried.push(path);
  }

  /** Undefined: cancelled or failed. */
  async #read(
    name: string,
    user: string,
    from: Blob | string,
    isChosen: boolean,
  ): Promise<CsvFileResult | 'missing' | undefined> {
    try {
      const now = this.#clock.now();
      const result = await this.#host.follow({ kind: 'file', name }, (onProgress, signal) =>
        this.#worker.ask({ type: 'csv', name, user, now, from }, { onProgress, signal }),
      );
      if (result === 'missing') return result;
      if (result.status === 'added') {
        this.#files += 1;
        await this.#dropSample();
      }
      this.#host.report(result, isChosen);
      return result;
    } catch (error) {
      if (error instanceof Cancelled) return undefined;
      this.#host.report({ name, failure: error instanceof Error ? error.message : String(error) }, isChosen);
      return undefined;
    }
  }

  /** The first real data replace the sample. */
  async #dropSample(): Promise<void> {
    const fileIds = this.#sampleFiles.splice(0);
    if (fileIds.length > 0) await this.#worker.ask({ type: 'remove-files', fileIds });
  }
}

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentId } from './agents/event.ts';
import type { AgentSource } from './agents/source.ts';
import { listCsvFiles } from './project-files/csv.ts';

/** Larger files would delay other requests of the process. */
const MAX_BYTES = 32 * 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;
/** A sum is right for this time: later events of the month may have begun. */
const FRESH_MS = 60_000;

export interface MonthCost {
  readonly spentCents: number;
  readonly requests: number;
}

/** The requests of assistants this month and what they would cost, added to those of files; `known` null: no files. */
export async function addAgentMonth(
  known: MonthCost | null,
  source: AgentSource,
  agents: readonly AgentId[],
): Promise<MonthCost> {
  const months = await Promise.all(agents.map((agent) => monthOf(source, agent)));
  return [...(known ? [known] : []), ...months].reduce(
    (sum, { spentCents, requests }) => ({
      spentCents: sum.spentCents + spentCents,
      requests: sum.requests + requests,
    }),
    { spentCents: 0, requests: 0 },
  );
}

async function monthOf(source: AgentSource, agent: AgentId): Promise<MonthCost> {
  const { billingCycleStart, billingCycleEnd, individualUsage } = await source.summary(agent);
  const range = { startAt: Date.parse(billingCycleStart), endAt: Date.parse(billingCycleEnd) - 1 };
  return { spentCents: individualUsage.overall.used, requests: await source.count(agent, range) };
}

/** The cost of this month in the project's CSV files, read again only when these or the minute have changed. */
export class MonthCosts {
  readonly #folder: string;
  readonly #now: () => number;
  #key = '';
  #cost: Promise<MonthCost> | undefined;

  constructor(projectDir: string, now: () => number) {
    this.#folder = join(projectDir, 'data');
    this.#now = now;
  }

  /** Null: there are no files. Rejects if they cannot be read, or are too large to be summed here. */
  async read(): Promise<MonthCost | null> {
    const names = await listCsvFiles(join(this.#folder, '..'));
    if (names.length === 0) return null;
    const files = await Promise.all(
      names.map(async (name) => {
        const { size, mtimeMs } = await stat(join(this.#folder, name));
        return { name, size, mtimeMs };
      }),
    );
    if (files.reduce((sum, { size }) => sum + size, 0) > MAX_BYTES) throw new Error('too much usage to sum up here');
    const key = JSON.stringify([files, Math.floor(this.#now() / FRESH_MS)]);
    if (key !== this.#key || !this.#cost) {
      this.#key = key;
      this.#cost = this.#sum(names);
    }
    return this.#cost;
  }

  async #sum(names: readonly string[]): Promise<MonthCost> {
    const { UsageData } = await import('./domain/usage-data.ts');
    const data = new UsageData([{ label: 'all', email: undefined }]);
    const now = this.#now();
    for (const name of names) {
      const csv = data.openCsv({ name, size: 0, user: 'all' }, now);
      for await (const chunk of createReadStream(join(this.#folder, name), { highWaterMark: CHUNK_BYTES }))
        csv.push(chunk as Uint8Array);
      csv.finish();
    }
    const { spentCents, requests } = data.view({
      source: 'csv',
      user: 'all',
      selection: { mode: 'all' },
      granularity: 'month',
      zone: new Intl.DateTimeFormat('en').resolvedOptions().timeZone,
      now,
      costBasis: 'reported',
      columnCap: 100,
      compare: false,
      topN: 1,
    }).budget;
    return { spentCents, requests };
  }
}

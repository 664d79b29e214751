import { type Clock, systemClock } from '../kernel/clock.ts';
import { createLog } from '../kernel/log.ts';
import { readConnectionUrl } from '../kernel/postgres/connection-url.ts';
import { openPostgres, type Postgres } from '../kernel/postgres/postgres.ts';
import type { Cleanup } from './processes.ts';

export interface OpenedPostgres {
  readonly postgres: Postgres;
  /** What it has logged, at every level. */
  readonly lines: readonly string[];
}

export interface OpenForTest {
  readonly name?: string;
  readonly waitMs?: number;
  readonly clock?: Clock;
  /** Takes the log lines even if it cannot be opened. */
  readonly lines?: string[];
}

/** Opens a database as a server does, closed after the test. */
export async function openForTest(
  t: Cleanup,
  url: string,
  { name = 'test', waitMs = 0, clock = systemClock, lines = [] }: OpenForTest = {},
): Promise<OpenedPostgres> {
  const target = readConnectionUrl(url);
  if (!target.ok) throw new Error(target.reason);
  const log = createLog({ level: 'debug', format: 'logfmt', clock, write: (line) => void lines.push(line) });
  const postgres = await openPostgres({ target: target.value, applicationName: name, clock, log, waitMs });
  t.after(() => postgres.close());
  return { postgres, lines };
}

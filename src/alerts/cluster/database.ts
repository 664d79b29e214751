import type { Clock } from '../../kernel/clock.ts';
import { CommandError, ExitCode } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { printTarget, readConnectionUrl } from '../../kernel/postgres/connection-url.ts';
import { migrate } from '../../kernel/postgres/migrations.ts';
import { openPostgres, type Postgres } from '../../kernel/postgres/postgres.ts';
import { KERNEL_MIN_READER, KERNEL_STEPS } from '../../kernel/postgres/schema.ts';
import { ALERT_STEPS } from './schema.ts';

export const COMPONENT = 'alerts';

export interface AlertDatabaseOptions {
  /** With the password. */
  readonly url: string;
  /** The name of the client, shown in pg_stat_activity. */
  readonly name: string;
  /** The time an unreachable database gets, in milliseconds. */
  readonly waitMs: number;
  /** The clock of the machine. */
  readonly clock: Clock;
  readonly log: Log;
}

export interface AlertDatabase {
  readonly postgres: Postgres;
  /** `host:port/database` */
  readonly place: string;
}

/** Connects to PostgreSQL and brings its tables up to date; a CommandError says why it cannot. */
export async function connectAlertDatabase({
  url,
  name,
  waitMs,
  clock,
  log,
}: AlertDatabaseOptions): Promise<AlertDatabase> {
  const target = readConnectionUrl(url);
  if (!target.ok) throw new CommandError(`--storage.url: ${target.reason}`, ExitCode.usage);
  const postgres = await openPostgres({ target: target.value, applicationName: name, clock, log, waitMs });
  try {
    await migrate(postgres, 'kernel', KERNEL_STEPS, { minReader: KERNEL_MIN_READER });
    await migrate(postgres, COMPONENT, ALERT_STEPS);
    return { postgres, place: printTarget(target.value) };
  } catch (error) {
    await postgres.close();
    throw error;
  }
}

import type { Clock } from '../clock.ts';
import { CommandError, ExitCode } from '../errors.ts';
import type { Log } from '../log.ts';
import { printTarget, readConnectionUrl } from './connection-url.ts';
import { migrate } from './migrations.ts';
import { openPostgres, type Postgres } from './postgres.ts';
import { KERNEL_MIN_READER, KERNEL_STEPS } from './schema.ts';

export interface DatabaseOptions {
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

/** A server whose tables lie in the database. */
export interface Component {
  readonly name: string;
  readonly steps: readonly string[];
  /** By which the URL is given; for errors. */
  readonly flag: string;
}

export interface ConnectedDatabase {
  readonly postgres: Postgres;
  /** `host:port/database` */
  readonly place: string;
}

/** Connects to PostgreSQL and brings the component's tables up to date; a CommandError says why it cannot. */
export async function connectDatabase(
  { url, name, waitMs, clock, log }: DatabaseOptions,
  component: Component,
): Promise<ConnectedDatabase> {
  const target = readConnectionUrl(url);
  if (!target.ok) throw new CommandError(`${component.flag}: ${target.reason}`, ExitCode.usage);
  const postgres = await openPostgres({ target: target.value, applicationName: name, clock, log, waitMs });
  try {
    await migrate(postgres, 'kernel', KERNEL_STEPS, { minReader: KERNEL_MIN_READER });
    await migrate(postgres, component.name, component.steps);
    return { postgres, place: printTarget(target.value) };
  } catch (error) {
    await postgres.close();
    throw error;
  }
}

import { CommandError } from '../errors.ts';
import type { Connection } from './connection.ts';
import type { Postgres } from './postgres.ts';

export interface MigrateOptions {
  /** The lowest number of steps with which an opsdeck can still use the schema; all of them by default. */
  readonly minReader?: number;
}

/** The first half of the keys of opsdeck's advisory locks. */
export const LOCK_SPACE = 0x6f70_7364;
const MIGRATION_LOCK = 1;

/** Steps may rewrite tables, and a second node waits for those of the first. */
const DEADLINE_MS = 60_000;

/**
 * Brings a component's part of the schema `opsdeck` up to date, also if several nodes start at once. The n-th step, a script,
 * leads from version n to n + 1. A CommandError if the schema is newer than this opsdeck can use, or if rights are missing.
 */
export async function migrate(
  postgres: Postgres,
  component: string,
  steps: readonly string[],
  { minReader = steps.length }: MigrateOptions = {},
): Promise<void> {
  try {
    await inTransaction(postgres, async (run) => {
      // Not by session: behind a pooler a session ends with the transaction.
      await run('SELECT pg_advisory_xact_lock($1, $2)', [LOCK_SPACE, MIGRATION_LOCK]);
      await createSchema(run);
      const version = await readVersion(run, component, steps.length);
      if (version >= steps.length) return;
      for (const step of steps.slice(version)) await run(step);
      await run(
        `INSERT INTO opsdeck.schema_version (component, version, min_reader) VALUES ($1, $2, $3)
         ON CONFLICT (component) DO UPDATE SET version = excluded.version, min_reader = excluded.min_reader`,
        [component, steps.length, minReader],
      );
    });
  } catch (error) {
    throw postgres.explain(error);
  }
}

type Run = (sql: string, values?: readonly unknown[]) => ReturnType<Connection['query']>;

async function inTransaction(postgres: Postgres, work: (run: Run) => Promise<void>): Promise<void> {
  const connection = await postgres.connect(DEADLINE_MS);
  const run: Run = (sql, values = []) => connection.query(sql, values, DEADLINE_MS);
  try {
    await run('BEGIN');
    // Of this transaction alone, so that a pooler's next client does not inherit it.
    await run(`SET LOCAL lock_timeout = ${DEADLINE_MS}; SET LOCAL statement_timeout = ${DEADLINE_MS}`);
    await work(run);
    await run('COMMIT');
  } finally {
    // An open transaction ends with its connection.
    await connection.end();
  }
}

/** What an administrator has made is not made again: that takes rights, even with IF NOT EXISTS. */
async function createSchema(run: Run): Promise<void> {
  const [found] = await run(`
    SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'opsdeck') AS "schema",
      EXISTS (SELECT FROM pg_tables WHERE schemaname = 'opsdeck' AND tablename = 'schema_version') AS "table"`);
  if (!found?.schema) await run('CREATE SCHEMA opsdeck');
  if (found?.table) return;
  await run(`CREATE TABLE opsdeck.schema_version (
    component text PRIMARY KEY, version integer NOT NULL, min_reader integer NOT NULL)`);
}

async function readVersion(run: Run, component: string, known: number): Promise<number> {
  const [row] = await run('SELECT version, min_reader FROM opsdeck.schema_version WHERE component = $1', [component]);
  const { version, min_reader: minReader } = (row ?? { version: 0, min_reader: 0 }) as {
    version: number;
    min_reader: number;
  };
  if (version > known && minReader > known) {
    throw new CommandError(
      `the database was written by a newer opsdeck (schema ${component} ${version}, this one knows ${known}): start that version, or use another database`,
    );
  }
  return version;
}

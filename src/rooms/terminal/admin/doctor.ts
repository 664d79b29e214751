import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Clock, holdProcess } from '../../../kernel/clock.ts';
import { CommandError, ExitCode } from '../../../kernel/errors.ts';
import { createLog } from '../../../kernel/log.ts';
import { type DataDirectory, ownDataDirectory } from '../../../kernel/storage/data-directory.ts';
import { openDatabase } from '../../../kernel/storage/database.ts';
import { formatTable } from '../../../kernel/terminal/table.ts';
import type { Terminal } from '../../../kernel/terminal/terminal.ts';
import { DATABASE_NAME, KEY_NAME } from '../../contract/backup.ts';
import { printClosed, remedyOf } from '../../domain/closed-secret.ts';
import { hasJournal } from '../../store/earlier-journal.ts';
import { openSqliteRoomEngine } from '../../store/sqlite/open.ts';
import { MIGRATIONS } from '../../store/sqlite/schema.ts';
import { colorsOf, printJson } from '../output.ts';
import { closedSecretsIn } from './closed-secrets.ts';
import { CHECKS, type Finding } from './store-checks.ts';

export interface DoctorOptions {
  readonly dataDir: string;
  readonly json?: boolean;
}

type NamedFinding = Finding & { readonly name: string };

const MAX_SHOWN = 20;

/**
 * `rooms doctor`: checks a data directory. Changes nothing, except that it imports the journal of an earlier version;
 * ends with 1 if it finds a problem.
 */
export async function doctor(options: DoctorOptions, terminal: Terminal): Promise<void> {
  const path = resolve(options.dataDir);
  if (!existsSync(join(path, DATABASE_NAME)))
    throw new CommandError(`there are no rooms in ${path}: it has no ${DATABASE_NAME}`, ExitCode.usage);
  const release = holdProcess();
  try {
    const findings = await examine(path, terminal);
    const isWhole = findings.every(({ problems }) => problems.length === 0);
    if (options.json) printJson(terminal, { directory: path, whole: isWhole, checks: findings });
    else print(findings, terminal);
    if (!isWhole) throw new CommandError(options.json ? '' : remedyOfAll(findings));
  } finally {
    release();
  }
}

const SECRETS = 'secrets';

function remedyOfAll(findings: readonly NamedFinding[]): string {
  const isDamaged = findings.some(({ name, problems }) => name !== SECRETS && problems.length > 0);
  return isDamaged
    ? 'not everything is whole: keep a copy of the directory, and restore a backup'
    : `some secrets cannot be decrypted: set the OPSDECK_SECRET_KEY of the server, put its ${KEY_NAME} in place, or enter them again`;
}

/** The findings of each check of a data directory. */
export async function examine(
  path: string,
  { clock, env }: Pick<Terminal, 'clock' | 'env'>,
): Promise<readonly NamedFinding[]> {
  // Refuses with 3 while a server runs on it.
  const directory = await ownDataDirectory(path, clock);
  try {
    if (hasJournal(path)) await bringUpToDate(directory, clock);
    const database = await openDatabase({ directory, name: DATABASE_NAME, migrations: MIGRATIONS });
    try {
      const findings: NamedFinding[] = [];
      for (const { name, check } of CHECKS) findings.push({ name, ...(await check(database, path)) });
      const closed = await closedSecretsIn(database, path, env);
      const problems = closed.map((secret) => `${printClosed(secret)}: ${remedyOf(secret)}`);
      return [...findings, { name: SECRETS, facts: 'by the secret key', problems }];
    } finally {
      await database.close();
    }
  } finally {
    directory.release();
  }
}

/** Imports the journal left by a killed server of an earlier version. */
async function bringUpToDate(directory: DataDirectory, clock: Clock): Promise<void> {
  const log = createLog({ level: 'error', format: 'logfmt', clock, write: () => {} });
  await (await openSqliteRoomEngine({ directory, clock, log, durability: 'full' })).close();
}

function print(findings: readonly NamedFinding[], terminal: Terminal): void {
  const { green, red } = colorsOf(terminal);
  terminal.out(
    formatTable(
      findings.map(({ name, problems, facts }) => [
        problems.length === 0 ? { text: 'ok', style: green } : { text: 'WRONG', style: red },
        name,
        facts,
      ]),
    ),
  );
  for (const { name, problems } of findings) {
    for (const problem of problems.slice(0, MAX_SHOWN)) terminal.out(formatTable([[`${name}:`, problem]]));
    if (problems.length > MAX_SHOWN) terminal.out(`${name}: and ${problems.length - MAX_SHOWN} more\n`);
  }
}

import { CommandError, ExitCode, messageOf, systemCodeOf } from '../errors.ts';

/** Source: https://www.sqlite.org/rescode.html */
const ResultCode = {
  ok: 0,
  error: 1,
  busy: 5,
  ioError: 10,
  corrupt: 11,
  full: 13,
  notADatabase: 26,
  writeFailed: 778,
} as const;

const DAMAGE: readonly unknown[] = [ResultCode.ioError, ResultCode.corrupt, ResultCode.notADatabase];

/** SQLite's own code for an error, with its details. */
const resultCodeOf = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error ? Number(error.errcode) : undefined;

function primaryCodeOf(error: unknown): number | undefined {
  const code = resultCodeOf(error);
  return code === undefined ? undefined : code & 0xff;
}

/**
 * Whether a copy has found the database busy at its first or last step, and can be repeated: Node then reports the state of the
 * destination, which is no error.
 */
export const isBusyCopy = (error: unknown): boolean => resultCodeOf(error) === ResultCode.ok;

/** Whether SQLite refused a statement, for instance because a table or column is missing. */
export const isRefusedSql = (error: unknown): boolean => primaryCodeOf(error) === ResultCode.error;

/** Whether a file is damaged. */
export const isDamage = (error: unknown): boolean => DAMAGE.includes(primaryCodeOf(error));

/** Whether a write has failed because the disk is full. For an exceeded quota SQLite reports a failed write. */
export function isDiskFull(error: unknown): boolean {
  const code = resultCodeOf(error);
  return code === ResultCode.full || code === ResultCode.writeFailed;
}

/** The error as the line that a user gets. */
export function unusable(what: 'open' | 'read', file: string, error: unknown): CommandError {
  const options = { cause: error };
  if (primaryCodeOf(error) === ResultCode.busy) {
    const reason = 'another process has it open; stop that one first';
    return new CommandError(`cannot ${what} the database ${file}: ${reason}`, ExitCode.unreachable, options);
  }
  const reasons: Record<string, string> = {
    EISDIR: 'it is a directory, not a file',
    EACCES: 'this user may not read and write it',
    EROFS: 'the file system is read-only',
  };
  const reason = reasons[systemCodeOf(error) ?? ''] ?? messageOf(error);
  return new CommandError(
    `cannot ${what} the database ${file}: ${reason}; put a backup in its place, or move it away to start empty`,
    ExitCode.failed,
    options,
  );
}

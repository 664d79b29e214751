import { messageOf } from '../errors.ts';

/** The database gave no answer, or one that means that it cannot be used now. */
export class StorageAwayError extends Error {
  override readonly name = 'StorageAwayError';
  /** Whether the statement may have been executed. */
  readonly isUncertain: boolean;
  /** Without the words common to all these errors. */
  readonly reason: string;

  constructor(reason: string, { isUncertain, cause }: { isUncertain: boolean; cause?: unknown }) {
    super(`PostgreSQL is away: ${reason}`, { cause });
    this.isUncertain = isUncertain;
    this.reason = reason;
  }
}

/** The five characters of an SQLSTATE, or undefined for any other error. */
export function sqlStateOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && 'severity' in (error as Error) ? code : undefined;
}

/**
 * Shutting down (admin_shutdown, crash_shutdown), starting up, database dropped, idle too long, too many connections; read-only
 * after a failover.
 */
const AWAY_STATES = new Set(['57P01', '57P02', '57P03', '57P04', '57P05', '53300', '25006']);

/** Whether an answer means that the database cannot be used now. */
export function isAwayAnswer(error: unknown): boolean {
  const state = sqlStateOf(error);
  if (state === undefined) return false;
  // PgBouncer's lost servers. As a plain ERROR, 08P01 is a statement with a wrong number of values.
  if (state.startsWith('08')) return (error as { severity?: unknown }).severity === 'FATAL';
  return AWAY_STATES.has(state);
}

/** Such an answer came before anything was executed. */
export function isReadOnly(error: unknown): boolean {
  return sqlStateOf(error) === '25006';
}

/** The other side of two transactions was preferred: the statement can be repeated. */
export function isRepeatable(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === '40001' || state === '40P01';
}

/** One line; Node's error for a name with several addresses has an empty message. */
export function reasonOf(error: unknown): string {
  if (error instanceof StorageAwayError) return error.reason;
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return messageOf(error).replace(/\s+/g, ' ').trim();
}

import { messageOf } from '../../../kernel/errors.ts';
import type { Log } from '../../../kernel/log.ts';
import type { Postgres } from '../../../kernel/postgres/postgres.ts';
import { StorageAwayError, sqlStateOf } from '../../../kernel/postgres/storage-error.ts';
import { messageJsonOf } from '../../contract/message-json.ts';
import type { StoredText } from '../engine.ts';
import { StatementError, StorageFullError } from '../store.ts';

/** What reads and writes need of the database; rejects as RoomStore does. */
export type Queries = Pick<Postgres, 'query' | 'isUp'>;

/** No space left on the disk of PostgreSQL. */
const DISK_FULL = '53100';

/** An unexpected error of a statement is logged, and ends only that statement. */
export function guardQueries(postgres: Queries, log: Log): Queries {
  return {
    get isUp() {
      return postgres.isUp;
    },
    async query(...statement) {
      try {
        return await postgres.query(...statement);
      } catch (error) {
        if (error instanceof StorageAwayError) throw error;
        if (sqlStateOf(error) === DISK_FULL) throw new StorageFullError(messageOf(error), { cause: error });
        log.error('PostgreSQL refused a statement', { err: messageOf(error), code: sqlStateOf(error) ?? '' });
        throw new StatementError(messageOf(error), { cause: error });
      }
    },
  };
}

/** A row with JSON. */
export interface DataRow {
  readonly data: string;
}

export const parseData = <T>({ data }: DataRow): T => JSON.parse(data) as T;

/** A message: the data of its last event, and the hash of its content. */
export interface MessageRow extends DataRow {
  readonly hash: string;
}

export const toStoredText = ({ data, hash }: MessageRow): StoredText => ({
  json: messageJsonOf(data),
  contentHash: hash,
});

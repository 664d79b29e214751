import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { StorageAwayError } from '../../kernel/postgres/storage-error.ts';
import type { WriteReport } from '../../kernel/storage/write-report.ts';

/** Reports failing writes; that PostgreSQL is away is reported once for all of them, by its connection. */
export function reportFailures(what: string, log: Log): WriteReport {
  return {
    failed(error) {
      if (error instanceof StorageAwayError) return;
      log.error(`${what} could not be written to PostgreSQL; trying again`, { err: messageOf(error) });
    },
    recovered() {},
  };
}

import type { Conditions } from '../conditions.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { WriteBehindOptions } from './write-behind.ts';

export type WriteReport = Pick<WriteBehindOptions, 'failed' | 'recovered'>;

export interface WriteReportParts {
  /** In the plural: `alerts`. */
  readonly what: string;
  /** What the server does with them meanwhile: `they are kept in memory`. */
  readonly meanwhile: string;
  readonly log: Log;
  readonly conditions: Conditions;
}

/** Reports failing writes: a line in the log when they begin and when they end, and a condition in between. */
export function reportWrites({ what, meanwhile, log, conditions }: WriteReportParts): WriteReport {
  return {
    failed(error) {
      const err = messageOf(error);
      log.error(`${what} could not be written to disk; trying again`, { err });
      conditions.set(what, {
        code: `${what.replaceAll(' ', '_')}_not_written`,
        text: `${what} cannot be written to disk: ${err}; ${meanwhile}`,
        values: { error: err },
      });
    },
    recovered() {
      log.info(`${what} are written to disk again`);
      conditions.clear(what);
    },
  };
}

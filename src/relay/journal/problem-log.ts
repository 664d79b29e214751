import type { Log, LogFields } from '../../kernel/log.ts';

/** A line of the log. */
export interface Problem {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly level: 'warn' | 'error';
  readonly message: string;
  /** Without the name of the environment. */
  readonly fields: LogFields;
}

const MAX_PROBLEMS = 30;

/** The last warnings and errors of an environment. */
export class ProblemLog {
  readonly #problems: Problem[] = [];
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Oldest first. */
  get problems(): readonly Problem[] {
    return this.#problems;
  }

  /** A log that also keeps warnings and errors here. */
  record(log: Log): Log {
    const keep =
      (level: Problem['level']) =>
      (message: string, fields: LogFields = {}) => {
        this.#problems.push({ at: this.#now(), level, message, fields });
        if (this.#problems.length > MAX_PROBLEMS) this.#problems.shift();
        log[level](message, fields);
      };
    return {
      debug: (message, fields) => log.debug(message, fields),
      info: (message, fields) => log.info(message, fields),
      warn: keep('warn'),
      error: keep('error'),
      debugging: log.debugging,
    };
  }
}

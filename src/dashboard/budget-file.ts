import { join } from 'node:path';
import * as v from 'valibot';
import { messageOf, systemCodeOf } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import { readRegularFile } from '../kernel/storage/regular-file.ts';
import { type Budget, budgetSchema } from './contract/budget.ts';
import { replaceFile } from './marker-store/file.ts';

const UNSET: Budget = { monthlyUsd: null };

/** The monthly budget of a project, in one JSON file beside its markers. */
export class BudgetFile {
  readonly #path: string;
  readonly #log: Log;

  constructor(projectDir: string, log: Log) {
    this.#path = join(projectDir, 'data', 'project-budget.json');
    this.#log = log;
  }

  /** A file that cannot be read, or holds no budget, counts as unset. */
  async read(): Promise<Budget> {
    try {
      return v.parse(budgetSchema, JSON.parse(await readRegularFile(this.#path)));
    } catch (error) {
      if (systemCodeOf(error) !== 'ENOENT')
        this.#log.warn('the budget could not be read', { file: this.#path, err: messageOf(error) });
      return UNSET;
    }
  }

  /** Resolves when it is on disk; rejects if it cannot be written. */
  write(budget: Budget): Promise<void> {
    return replaceFile(this.#path, `${JSON.stringify(budget)}\n`);
  }
}

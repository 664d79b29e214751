import { join } from 'node:path';
import * as v from 'valibot';
import { messageOf, systemCodeOf } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import { readRegularFile } from '../kernel/storage/regular-file.ts';
import { type Budget, budgetSchema } from './contract/budget.ts';
import { removeDrafts, replaceFile } from './marker-store/file.ts';

const UNSET: Budget = { monthlyUsd: null };

/** The monthly budget of a project, in one JSON file beside its markers. A link in its place is replaced, not followed. */
export class BudgetFile {
  readonly #path: string;
  readonly #log: Log;
  /** Why the last read failed. */
  #failure: string | undefined;

  private constructor(path: string, log: Log) {
    this.#path = path;
    this.#log = log;
  }

  static async open(projectDir: string, now: number, log: Log): Promise<BudgetFile> {
    const path = join(projectDir, 'data', 'project-budget.json');
    await removeDrafts(path, now);
    return new BudgetFile(path, log);
  }

  /** A file that cannot be read, or holds no budget, counts as unset. */
  async read(): Promise<Budget> {
    try {
      const budget = parseBudget(await readRegularFile(this.#path));
      this.#failure = undefined;
      return budget;
    } catch (error) {
      this.#report(systemCodeOf(error) === 'ENOENT' ? undefined : messageOf(error));
      return UNSET;
    }
  }

  /** Resolves when it is on disk; rejects if it cannot be written. */
  write(budget: Budget): Promise<void> {
    return replaceFile(this.#path, `${JSON.stringify(budget)}\n`);
  }

  /** Once for each failure: the hub reads every few seconds. */
  #report(failure: string | undefined): void {
    if (failure !== undefined && failure !== this.#failure)
      this.#log.warn('the budget could not be read', { file: this.#path, err: failure });
    this.#failure = failure;
  }
}

/** Its errors quote nothing of the text. */
function parseBudget(text: string): Budget {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error('the file is not JSON');
  }
  return v.parse(budgetSchema, value);
}

import * as v from 'valibot';
import { messageOf } from '../../kernel/errors.ts';
import type { HttpHandler } from '../../kernel/http/app.ts';
import type { Log } from '../../kernel/log.ts';
import type { BudgetFile } from '../budget-file.ts';
import { budgetSchema } from '../contract/budget.ts';
import { answerJson, readJsonBody, refuse } from './answers.ts';
import type { Paths } from './index.ts';

export interface BudgetRouteParts {
  readonly file: Pick<BudgetFile, 'read' | 'write'>;
  readonly log: Log;
}

export function budgetPaths(parts: BudgetRouteParts): Paths {
  return { '/api/budget': { GET: async (c) => answerJson(c, await parts.file.read()), PUT: putBudget(parts) } };
}

/** Answers once it is on disk. */
function putBudget({ file, log }: BudgetRouteParts): HttpHandler {
  return async (c) => {
    const body = await readJsonBody(c);
    if (!body.ok) return body.response;
    const budget = v.safeParse(budgetSchema, body.value);
    if (!budget.success) return refuse(c, 400, { error: budget.issues[0].message, code: 'invalid_budget' });
    try {
      await file.write(budget.output);
    } catch (error) {
      log.error('the budget could not be written', { err: messageOf(error) });
      return refuse(c, 500, {
        error: 'the budget could not be written',
        code: 'write_failed',
        hint: 'See the log of the server: the disk may be full, or the folder read-only.',
      });
    }
    return answerJson(c, budget.output);
  };
}

import { GOALS_UNREACHABLE } from '../contract/refusal.ts';
import type { Goals } from '../goals.ts';
import { type EnvironmentHandler, environmentIdOf } from './access.ts';
import { refuse } from './answers.ts';

export interface GoalsRoutes {
  readonly goals: Pick<Goals, 'read'>;
}

/** GET /sdk/goals/{envId}: upstream's answer, with our word on who may read it. */
export function readGoals({ goals }: GoalsRoutes): EnvironmentHandler {
  return async (c, { headers }) => {
    const answer = await goals.read(environmentIdOf(c));
    if (!answer) return refuse(c, 502, GOALS_UNREACHABLE, headers);
    const init = { status: answer.status, headers: { ...answer.headers, ...headers } };
    return new Response(answer.status === 304 ? null : new Uint8Array(answer.body), init);
  };
}

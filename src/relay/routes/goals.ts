import { GOALS_UNREACHABLE } from '../contract/refusal.ts';
import type { Goals } from '../goals.ts';
import { type AccessParts, type EnvironmentHandler, environmentIdOf, sdkPaths } from './access.ts';
import { refuse } from './answers.ts';
import type { Paths } from './index.ts';

export interface GoalsRouteParts extends AccessParts {
  readonly goals: Pick<Goals, 'read'>;
}

/** Goals of JavaScript SDKs. */
export function goalsPaths(parts: GoalsRouteParts): Paths {
  return sdkPaths(parts, 'client', 'data', { '/sdk/goals/:envId': { GET: readGoals(parts) } });
}

/** The response of upstream, with CORS headers of the relay. */
function readGoals({ goals }: GoalsRouteParts): EnvironmentHandler {
  return async (c, { headers }) => {
    const answer = await goals.read(environmentIdOf(c));
    if (!answer) return refuse(c, 502, GOALS_UNREACHABLE, headers);
    const init = { status: answer.status, headers: { ...answer.headers, ...headers } };
    return new Response(answer.status === 304 ? null : new Uint8Array(answer.body), init);
  };
}

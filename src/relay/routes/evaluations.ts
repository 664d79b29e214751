import { createHash } from 'node:crypto';
import type { HttpContext } from '../../kernel/http/app.ts';
import { matchesTag, weakTag } from '../contract/entity-tag.ts';
import { KEY_IS_EMPTY, NO_DATA_YET } from '../contract/refusal.ts';
import type { SdkKind } from '../credentials.ts';
import type { Context } from '../domain/context/context.ts';
import { printEvaluations } from '../domain/evaluation/json.ts';
import type { Environment } from '../environment.ts';
import { type Access, type AccessParts, type EnvironmentHandler, sdkPaths } from './access.ts';
import { answerJson, answerUnchanged, refuse } from './answers.ts';
import { readRequestContext } from './context-request.ts';
import type { Paths } from './index.ts';

export interface EvaluationRouteParts extends AccessParts {
  readonly maxBodyBytes: number;
}

/** All flags visible to the SDK, evaluated for a context. Whether there is data is checked after the context. */
export function evaluationPaths(parts: EvaluationRouteParts): Paths {
  const get = { GET: evaluateAll(parts) };
  const report = { REPORT: evaluateAll(parts) };
  return {
    ...sdkPaths(parts, 'server', 'client', {
      '/sdk/evalx/contexts/:context': get,
      '/sdk/evalx/users/:context': get,
      '/sdk/evalx/context': report,
      '/sdk/evalx/user': report,
    }),
    ...sdkPaths(parts, 'mobile', 'client', {
      '/msdk/evalx/contexts/:context': get,
      '/msdk/evalx/users/:context': get,
      '/msdk/evalx/context': report,
      '/msdk/evalx/user': report,
    }),
    ...sdkPaths(parts, 'client', 'client', {
      '/sdk/evalx/:envId/contexts/:context': get,
      '/sdk/evalx/:envId/users/:context': get,
      // SDKs use the singular, the documentation the plural.
      '/sdk/evalx/:envId/context': report,
      '/sdk/evalx/:envId/user': report,
      '/sdk/evalx/:envId/contexts': report,
      '/sdk/evalx/:envId/users': report,
    }),
  };
}

function evaluateAll({ maxBodyBytes, observer }: EvaluationRouteParts): EnvironmentHandler {
  return async (c, access) => {
    const context = await readRequestContext(c, access, maxBodyBytes);
    if (context instanceof Response) return context;
    const refusal = refuseEvaluation(c, access, context);
    if (refusal) return refusal;
    const { environment, sdkKind } = access;
    const withReasons = asksForReasons(c);
    const found = environment.memberships(context);
    const memberships = found instanceof Promise ? await found : found;
    const evaluate = () => {
      const flags = environment.exposed(sdkKind);
      observer.evaluated(environment, sdkKind, flags.length);
      return printEvaluations(flags, context, environment.store, { withReasons, memberships });
    };
    // Big segments change without the data.
    const body = memberships && evaluate();
    const tag = c.req.method === 'GET' ? digest(body ?? inputsOf(c, environment, sdkKind, withReasons)) : undefined;
    const headers = tag === undefined ? access.headers : { ...access.headers, etag: weakTag(tag) };
    if (tag !== undefined && matchesTag(c.req.header('if-none-match'), tag)) return answerUnchanged(c, headers);
    return answerJson(c, body ?? evaluate(), headers);
  };
}

export const asksForReasons = (c: HttpContext): boolean => c.req.query('withReasons') === 'true';

/** The refusal of an evaluation for a valid context; undefined if it can be evaluated. */
export function refuseEvaluation(c: HttpContext, access: Access, context: Context): Response | undefined {
  if (access.environment.readiness !== 'ready') return refuse(c, 503, NO_DATA_YET, access.headers);
  const [only, ...others] = context.individuals;
  if (only?.key === '' && others.length === 0) return refuse(c, 400, KEY_IS_EMPTY, access.headers);
  return undefined;
}

/** What an entity tag is made of where possible, so that an unchanged response is found without evaluation. */
function inputsOf(c: HttpContext, { revision }: Environment, sdkKind: SdkKind, withReasons: boolean): string {
  return `${revision} ${sdkKind} ${withReasons} ${c.req.param('context') ?? ''}`;
}

const digest = (subject: string): string => createHash('sha1').update(subject).digest('base64url');

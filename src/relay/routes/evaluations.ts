import { createHash } from 'node:crypto';
import type { HttpContext } from '../../kernel/http/app.ts';
import { matchesTag, weakTag } from '../contract/entity-tag.ts';
import { KEY_IS_EMPTY, NO_DATA_YET } from '../contract/refusal.ts';
import type { SdkKind } from '../credentials.ts';
import type { Context } from '../domain/context/context.ts';
import { printEvaluations } from '../domain/evaluation/json.ts';
import type { Environment } from '../environment.ts';
import type { Access, EnvironmentHandler } from './access.ts';
import { answerJson, answerUnchanged, refuse } from './answers.ts';
import { readRequestContext } from './context-request.ts';
import type { EvaluationObserver } from './ofrep.ts';

export interface EvaluationParts {
  readonly maxBodyBytes: number;
  readonly observer: EvaluationObserver;
}

/** GET and REPORT of every path with `evalx`: what all flags that the caller may see are worth for a context. */
export function evaluateAll({ maxBodyBytes, observer }: EvaluationParts): EnvironmentHandler {
  return async (c, access) => {
    const context = await readRequestContext(c, access, maxBodyBytes);
    if (context instanceof Response) return context;
    const refusal = refuseEvaluation(c, access, context);
    if (refusal) return refusal;
    const { environment, sdkKind } = access;
    const withReasons = asksForReasons(c);
    const tag = c.req.method === 'GET' ? tagOf(c, environment, sdkKind, withReasons) : undefined;
    const headers = tag === undefined ? access.headers : { ...access.headers, etag: weakTag(tag) };
    if (tag !== undefined && matchesTag(c.req.header('if-none-match'), tag)) return answerUnchanged(c, headers);
    const flags = environment.exposed(sdkKind);
    observer.evaluated(environment, sdkKind, flags.length);
    return answerJson(c, printEvaluations(flags, context, environment.store, { withReasons }), headers);
  };
}

export const asksForReasons = (c: HttpContext): boolean => c.req.query('withReasons') === 'true';

/** What stands against an evaluation for a context that could be read. */
export function refuseEvaluation(c: HttpContext, access: Access, context: Context): Response | undefined {
  if (access.environment.readiness !== 'ready') return refuse(c, 503, NO_DATA_YET, access.headers);
  const [only, ...others] = context.individuals;
  if (only?.key === '' && others.length === 0) return refuse(c, 400, KEY_IS_EMPTY, access.headers);
  return undefined;
}

/** Names the answer by what it is made of, so that to find it unchanged takes no evaluation. */
function tagOf(c: HttpContext, { revision }: Environment, sdkKind: SdkKind, withReasons: boolean): string {
  const context = c.req.param('context') ?? '';
  return createHash('sha1').update(`${revision} ${sdkKind} ${withReasons} ${context}`).digest('base64url');
}

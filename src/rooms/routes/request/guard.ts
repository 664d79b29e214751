import { type HttpContext, type HttpHandler, headerOf } from '../../../kernel/http/app.ts';
import type { Caller } from '../../domain/caller.ts';
import { type Outcome, type Refusal, refuse } from '../../domain/refusal.ts';
import type { Scope } from '../../domain/token/token.ts';
import { answerRefusal } from '../answer/answers.ts';
import { setHeader } from '../answer/headers.ts';

/** Authenticates requests. */
export interface Authenticator {
  authenticate(request: Credentials): Outcome<Caller> | Promise<Outcome<Caller>>;
  /** The caller named by the cookies of a page. Creates no user, and records neither a visit nor a failed sign-in. */
  recognize(cookies: string | undefined): Caller | undefined;
}

/** The credentials of a request. */
export interface Credentials {
  readonly authorization: string | undefined;
  readonly cookie: string | undefined;
  /** `X-Opsdeck-User`, used without sign-in. */
  readonly user: string | undefined;
  /** The client's address, for limits of failed sign-ins. */
  readonly address: string;
}

/** `change` applies where a path has no limit of its own; `hook` to posts by a user's incoming hooks. */
export type LimitName = 'post' | 'edit' | 'typing' | 'search' | 'upload' | 'create' | 'change' | 'hook';

/** Rate limits of users. */
export interface RateLimits {
  /** Takes one from the user's allowance; a refusal if there is none left. `headers` belong to the answer. */
  take(
    userId: string,
    limit: LimitName,
  ): { readonly refusal?: Refusal; readonly headers: Readonly<Record<string, string>> };
  /** Takes one from the write allowance of a room. */
  takeRoom(caller: Caller, idOrSlug: string): Refusal | undefined;
}

/** Serves a request with an `Idempotency-Key` once; answers are kept for 24 h. */
export interface IdempotentAnswers {
  /** Runs `handle`, or repeats the stored answer. */
  once(c: HttpContext, caller: Caller, handle: () => Promise<Response>, isSecret: boolean): Promise<Response>;
}

export interface GuardParts {
  readonly authenticator: Authenticator;
  readonly limits: RateLimits;
  readonly idempotent: IdempotentAnswers;
}

export interface GuardRules {
  /** The required scope of the caller's token. */
  readonly scope: Scope;
  readonly limit?: LimitName;
  /** Whether the `Idempotency-Key` counts. `secret`: the answer holds a secret, which is not stored. */
  readonly idempotent?: boolean | 'secret';
}

/** Why the request would be refused by now: its body, or its answer, may take long. */
export async function refusedSince(c: HttpContext): Promise<Refusal | undefined> {
  const admission = c.env?.admission as Admission | undefined;
  const found = await admission?.authenticator.authenticate(credentialsOf(c));
  if (!found?.ok) return found;
  return admission?.caller.isAdmin && !found.value.isAdmin ? LOST_ROLE : undefined;
}

interface Admission {
  readonly authenticator: Authenticator;
  readonly caller: Caller;
}

const LOST_ROLE = refuse('forbidden', 'you are no longer an admin of the server');

export type CallerHandler = (c: HttpContext, caller: Caller) => Response | Promise<Response>;

/** Admits an authenticated request with the required scope. Rights in a room are checked by decisions. */
export function admit(parts: GuardParts, rules: GuardRules, handle: CallerHandler): HttpHandler {
  return async (c) => {
    const found = await parts.authenticator.authenticate(credentialsOf(c));
    if (!found.ok) return answerRefusal(c, found);
    const caller = found.value;
    if (c.env) c.env.admission = { authenticator: parts.authenticator, caller } satisfies Admission;
    if (!caller.scopes.has(rules.scope))
      return answerRefusal(c, refuse('scope_missing', `the token lacks the scope ${rules.scope}`));
    const limit = rules.limit ?? (isSafe(c.req.method) ? undefined : 'change');
    if (limit) {
      const { refusal, headers } = parts.limits.take(caller.user.id, limit);
      for (const name in headers) setHeader(c, name, headers[name] ?? '');
      if (refusal) return answerRefusal(c, refusal);
    }
    if (rules.idempotent && headerOf(c, 'idempotency-key') !== undefined)
      return parts.idempotent.once(c, caller, async () => handle(c, caller), rules.idempotent === 'secret');
    return handle(c, caller);
  };
}

const isSafe = (method: string): boolean => method === 'GET' || method === 'HEAD';

export function credentialsOf(c: HttpContext): Credentials {
  return {
    authorization: headerOf(c, 'authorization'),
    cookie: headerOf(c, 'cookie'),
    user: headerOf(c, 'x-opsdeck-user'),
    address: c.env?.incoming?.socket.remoteAddress ?? '',
  };
}

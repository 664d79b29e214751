import { type HttpContext, type HttpHandler, headerOf } from '../../../kernel/http/app.ts';
import type { Caller } from '../../domain/caller.ts';
import { type Outcome, type Refusal, refuse } from '../../domain/refusal.ts';
import type { Scope } from '../../domain/token/token.ts';
import { answerRefusal } from '../answer/answers.ts';
import { setHeader } from '../answer/headers.ts';

/** Says who asks. */
export interface Authenticator {
  authenticate(request: Credentials): Outcome<Caller> | Promise<Outcome<Caller>>;
}

/** What a request shows of its sender. */
export interface Credentials {
  readonly authorization: string | undefined;
  readonly cookie: string | undefined;
  /** `X-Opsdeck-User`: counts where nobody has to sign in. */
  readonly user: string | undefined;
  /** From where it comes, to slow down those who guess. */
  readonly address: string;
}

/** `change` is what counts where a path has no limit of its own; `hook` is what a user's incoming hooks post. */
export type LimitName = 'post' | 'edit' | 'typing' | 'search' | 'upload' | 'create' | 'change' | 'hook';

/** Counts what a user does. */
export interface RateLimits {
  /** Takes one from the user's allowance; a refusal when there is none left. `headers` go out with the answer. */
  take(
    userId: string,
    limit: LimitName,
  ): { readonly refusal?: Refusal; readonly headers: Readonly<Record<string, string>> };
  /** Takes one from what all together may write to a room. */
  takeRoom(caller: Caller, idOrSlug: string): Refusal | undefined;
}

/** Answers the same request once: by its `Idempotency-Key`, kept for 24 h. */
export interface IdempotentAnswers {
  /** Runs `handle`, or repeats what it answered the last time. */
  once(c: HttpContext, caller: Caller, handle: () => Promise<Response>, isSecret: boolean): Promise<Response>;
}

export interface GuardParts {
  readonly authenticator: Authenticator;
  readonly limits: RateLimits;
  readonly idempotent: IdempotentAnswers;
}

export interface GuardRules {
  /** What the caller's token must be good for. */
  readonly scope: Scope;
  readonly limit?: LimitName;
  /** The `Idempotency-Key` counts. `secret`: the answer holds what may not lie on the disk. */
  readonly idempotent?: boolean | 'secret';
}

/** Why a request that was let in would not be any more: its body, or its answer, may take as long as its sender likes. */
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

const LOST_ROLE = refuse('forbidden', 'you are no admin of the server any more; ask again');

export type CallerHandler = (c: HttpContext, caller: Caller) => Response | Promise<Response>;

/** Lets a request in whose sender is known and whose token is good for it. What he may in a room the decision says. */
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

import type { HttpContext } from '../../kernel/http/app.ts';
import type { Newcomer, Session } from '../authentication/sessions.ts';
import { printInstantOrNull } from '../contract/instant.ts';
import { sessionPost } from '../contract/session.ts';
import { wireUser } from '../contract/user.ts';
import type { Caller } from '../domain/caller.ts';
import { type Outcome, refuse } from '../domain/refusal.ts';
import type { User } from '../domain/user/user.ts';
import { answer, answerOutcome, answerRefusal } from './answer/answers.ts';
import type { Paths } from './index.ts';
import { readJson } from './request/body.ts';
import { admit, credentialsOf, type GuardParts } from './request/guard.ts';

export interface SessionPathsParts {
  readonly guard: GuardParts;
  readonly auth: 'none' | 'token';
  readonly cookieName: string;
  /** The address of the server for browsers: the cookie is limited to its path, and to HTTPS if it uses that. */
  readonly baseUrl: string | undefined;
  /** The caller of a secret. */
  readonly check: (secret: string, address: string) => Outcome<Caller>;
  /** Counts a failure of an address; a refusal after too many. */
  readonly failed: (address: string) => ReturnType<typeof refuse> | undefined;
  /** Counts a sign-up by invite of an address; a refusal after too many. */
  readonly came: (address: string) => ReturnType<typeof refuse> | undefined;
  readonly sessions: {
    begin(caller: Caller): Promise<Outcome<Session>>;
    welcome(newcomer: Newcomer): Promise<Outcome<Session>>;
    end(caller: Caller): Promise<Outcome<true>>;
  };
  readonly now: () => number;
}

const BODY_LIMIT = 4096;

/** Signing in on the page: the cookie holds a secret that scripts cannot read. */
export function sessionPaths(parts: SessionPathsParts): Paths {
  const { guard, sessions, auth } = parts;
  const { protocol, path } = cookieScope(parts.baseUrl);
  const secure = protocol === 'https:' ? '; Secure' : '';
  const cookie = (value: string, maxAgeS: number) =>
    `${parts.cookieName}=${value}; Path=${path}; Max-Age=${maxAgeS}; HttpOnly; SameSite=Lax${secure}`;
  const welcome = (c: HttpContext, { user, secret, expiresAt }: Session) =>
    answer(c, wireSession(user, expiresAt), 201, {
      'set-cookie': cookie(secret, Math.max(0, Math.floor((expiresAt - parts.now()) / 1000))),
    });
  const current = admit(guard, { scope: 'read' }, (c, { user, expiresAt }) => answer(c, wireSession(user, expiresAt)));
  return {
    '/api/session': {
      GET: current,
      POST: async (c, next) => {
        // Without sign-in everybody is signed in.
        if (auth === 'none') return current(c, next);
        const body = await readJson(c, sessionPost, BODY_LIMIT);
        if (!body.ok) return answerRefusal(c, body);
        return answerOutcome(c, await signIn(parts, c, body.value), (session) => welcome(c, session));
      },
      DELETE: admit(guard, { scope: 'read' }, async (c, caller) =>
        answerOutcome(c, await sessions.end(caller), () =>
          c.body(null, 204, { 'set-cookie': cookie('', 0), 'cache-control': 'no-store' }),
        ),
      ),
    },
  };
}

/** A cookie path without a final slash matches everything below it, too. */
function cookieScope(baseUrl: string | undefined): { readonly protocol: string; readonly path: string } {
  const { protocol, pathname } = new URL(baseUrl ?? 'http://localhost');
  const path = pathname.replace(/\/+$/, '');
  // A cookie's path cannot hold a semicolon.
  return { protocol, path: path === '' || path.includes(';') ? '/' : path };
}

interface SignIn {
  readonly token?: string | undefined;
  readonly invite?: string | undefined;
  readonly name?: string | undefined;
  readonly id?: string | undefined;
}

async function signIn(
  { guard, sessions, check, failed, came }: SessionPathsParts,
  c: HttpContext,
  { token, invite, name, id }: SignIn,
): Promise<Outcome<Session>> {
  const { address } = credentialsOf(c);
  if (token !== undefined && invite === undefined) {
    const caller = check(token, address);
    if (!caller.ok) return caller;
    return guard.limits.take(caller.value.user.id, 'change').refusal ?? sessions.begin(caller.value);
  }
  if (invite === undefined || token !== undefined)
    return refuse('invalid_body', 'send a token, or an invite with a name', { path: 'token' });
  if (name === undefined) return refuse('invalid_body', 'name: is required with an invite', { path: 'name' });
  const tooMany = came(address);
  if (tooMany) return tooMany;
  const session = await sessions.welcome({ code: invite, name, id });
  return session.ok || session.code !== 'invite_not_found' ? session : (failed(address) ?? session);
}

function wireSession(user: User, expiresAt: number | null): object {
  return { user: wireUser(user, null), expiresAt: printInstantOrNull(expiresAt) };
}

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
  /** The address under which browsers reach the server: the cookie goes to nothing else there, and over HTTPS alone. */
  readonly baseUrl: string | undefined;
  /** Whom a secret stands for. */
  readonly check: (secret: string, address: string) => Outcome<Caller>;
  /** One more has failed from an address: a refusal when it was too many. */
  readonly failed: (address: string) => ReturnType<typeof refuse> | undefined;
  /** One more comes by an invite from an address: a refusal when it was too many. */
  readonly came: (address: string) => ReturnType<typeof refuse> | undefined;
  readonly sessions: {
    begin(caller: Caller): Promise<Outcome<Session>>;
    welcome(newcomer: Newcomer): Promise<Outcome<Session>>;
    end(caller: Caller): Promise<Outcome<true>>;
  };
  readonly now: () => number;
}

const BODY_LIMIT = 4096;

/** The page signs in here: the cookie holds a secret that scripts cannot read. */
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
        // Where nobody signs in, everybody is in already.
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

/** A path without the slash at its end is that of all below it, too. */
function cookieScope(baseUrl: string | undefined): { readonly protocol: string; readonly path: string } {
  const { protocol, pathname } = new URL(baseUrl ?? 'http://localhost');
  const path = pathname.replace(/\/+$/, '');
  // No cookie can name a path with a semicolon.
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
  if (name === undefined) return refuse('invalid_body', 'name: tell others who you are', { path: 'name' });
  const tooMany = came(address);
  if (tooMany) return tooMany;
  const session = await sessions.welcome({ code: invite, name, id });
  return session.ok || session.code !== 'invite_not_found' ? session : (failed(address) ?? session);
}

function wireSession(user: User, expiresAt: number | null): object {
  return { user: wireUser(user, null), expiresAt: printInstantOrNull(expiresAt) };
}

import type { Clock } from '../../../kernel/clock.ts';
import { cookieOf } from '../../../kernel/http/cookie.ts';
import { type Caller, callerOf } from '../../domain/caller.ts';
import { accepted, type Outcome, type Refusal, refuse } from '../../domain/refusal.ts';
import type { Token } from '../../domain/token/token.ts';
import { checkToken } from '../../domain/user/change.ts';
import type { User } from '../../domain/user/user.ts';
import type { RoomState } from '../../room/state.ts';
import type { Authenticator, Credentials } from '../../routes/request/guard.ts';
import type { FailedSignIns } from '../rate-limits.ts';
import { hashTokenSecret, inspectTokenSecret } from '../token-secret.ts';
import type { LastSeen } from './seen.ts';

/** The cookie of a session: its value is the secret of the session's token. */
export const SESSION_COOKIE = 'opsdeck_session';

const NOBODY = refuse('unauthenticated', 'sign in: send the header Authorization: Bearer odr_…');
const NO_BEARER = refuse('unauthenticated', 'the header Authorization must be: Bearer odr_…');

export interface TokenAuthenticationParts {
  readonly state: RoomState;
  readonly clock: Clock;
  readonly seen: LastSeen;
  readonly failures: FailedSignIns;
}

/** `--auth token`: a token, or the cookie of a session, admits its user. */
export class TokenAuthentication implements Authenticator {
  readonly #parts: TokenAuthenticationParts;
  /** The caller of a token, valid while token and user stay the same objects. */
  readonly #callers = new WeakMap<Token, Caller>();

  constructor(parts: TokenAuthenticationParts) {
    this.#parts = parts;
  }

  authenticate({ authorization, cookie, address }: Credentials): Outcome<Caller> {
    if (authorization !== undefined) {
      const secret = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
      return secret === undefined ? NO_BEARER : this.check(secret, address);
    }
    const session = cookieOf(cookie, SESSION_COOKIE);
    return session === undefined ? NOBODY : this.check(session, address);
  }

  /** The caller of a secret. Failures of an address are limited; a right secret is not. */
  check(secret: string, address: string): Outcome<Caller> {
    const { state, clock, seen, failures } = this.#parts;
    // Found by its hash: the time of a lookup reveals nothing about the secret.
    const token = state.get('token', hashTokenSecret(secret));
    if (!token) return failures.failed(address) ?? unknown(secret);
    const user = checkToken(token, state.get('user', token.userId), clock.now());
    if (!user.ok) return user;
    seen.user(token.userId);
    seen.token(token.id);
    return accepted(this.#callerOf(token, user.value));
  }

  recognize(cookies: string | undefined): Caller | undefined {
    const { state, clock } = this.#parts;
    const secret = cookieOf(cookies, SESSION_COOKIE);
    const token = secret === undefined ? undefined : state.get('token', hashTokenSecret(secret));
    if (!token) return undefined;
    const user = checkToken(token, state.get('user', token.userId), clock.now());
    return user.ok ? this.#callerOf(token, user.value) : undefined;
  }

  #callerOf(token: Token, user: User): Caller {
    const known = this.#callers.get(token);
    if (known?.user === user) return known;
    const caller = callerOf(token, user);
    this.#callers.set(token, caller);
    return caller;
  }
}

function unknown(secret: string): Refusal {
  return inspectTokenSecret(secret) === 'mistyped'
    ? refuse('unauthenticated', 'this is not a whole token: its checksum does not fit; copy it again')
    : refuse('unauthenticated', 'the token is not known here; it may have been revoked');
}

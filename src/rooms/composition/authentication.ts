import { OpenAuthentication } from '../authentication/authentication/open.ts';
import { LastSeen } from '../authentication/authentication/seen.ts';
import { SESSION_COOKIE, TokenAuthentication } from '../authentication/authentication/token.ts';
import { FailedSignIns, Newcomers, NO_LIMITS, UserRateLimits } from '../authentication/rate-limits.ts';
import { Sessions } from '../authentication/sessions.ts';
import { newSecret } from '../authentication/token-secret.ts';
import { findRoom } from '../domain/access.ts';
import type { Caller } from '../domain/caller.ts';
import { AnswerStore } from '../idempotent-answers.ts';
import type { RoomState } from '../room/state.ts';
import type { RoomWriter } from '../room/writer.ts';
import { createIdempotentAnswers } from '../routes/answer/idempotent.ts';
import { auditPaths } from '../routes/audit.ts';
import type { Paths } from '../routes/index.ts';
import type { GuardParts } from '../routes/request/guard.ts';
import { sessionPaths } from '../routes/session.ts';
import { tokenPaths } from '../routes/tokens.ts';
import { userPaths } from '../routes/users.ts';
import type { ComposeInputs } from './core.ts';

/** Authentication, rate limits and idempotent answers of requests. */
export function composeAuthentication({ options, store, clock }: ComposeInputs, state: RoomState, writer: RoomWriter) {
  const { auth, baseUrl, requireIfMatch } = options;
  const seen = new LastSeen(state, writer, clock);
  const failures = new FailedSignIns(clock);
  const newcomers = options.rateLimits ? new Newcomers(clock) : undefined;
  const tokens = new TokenAuthentication({ state, clock, seen, failures });
  const answers = new AnswerStore(state, writer, clock);
  const roomIdOf = (caller: Caller, name: string) => {
    const found = findRoom(state, caller, name);
    return found.ok ? found.value.room.id : undefined;
  };
  const guard: GuardParts = {
    authenticator: auth === 'none' ? new OpenAuthentication(state, writer, seen) : tokens,
    limits: options.rateLimits ? new UserRateLimits(clock, roomIdOf) : NO_LIMITS,
    idempotent: createIdempotentAnswers(answers),
  };
  const session = {
    cookieName: SESSION_COOKIE,
    baseUrl,
    check: (secret: string, address: string) => tokens.check(secret, address),
    failed: (address: string) => failures.failed(address),
    came: (address: string) => newcomers?.came(address),
    sessions: new Sessions(writer),
    now: () => clock.now(),
  };
  const paths: readonly Paths[] = [
    userPaths({ guard, state, writer, seen, auth, requireIfMatch }),
    tokenPaths({ guard, state, writer, seen, newSecret, requireIfMatch }),
    sessionPaths({ guard, auth, ...session }),
    auditPaths({ guard, store }),
  ];
  return {
    guard,
    paths,
    async close() {
      answers.close();
      await seen.close();
    },
  };
}

import { messageOf } from '../../kernel/errors.ts';
import type { HttpContext, HttpHandler } from '../../kernel/http/app.ts';
import type { Log } from '../../kernel/log.ts';
import { printSilence } from '../contract/gettable.ts';
import { readPostableSilence } from '../contract/postable.ts';
import { type MatcherReading, readFlag, readMatchers, readParameters } from '../contract/query.ts';
import type { SilenceId } from '../contract/wire.ts';
import { silenceStateAt } from '../domain/silence.ts';
import type { SilenceListing } from '../silences/listing.ts';
import type { SilenceStore } from '../silences/store.ts';
import type { Answers } from './answers.ts';
import { readJsonBody, refuseUnacceptable } from './guards.ts';

export interface SilenceRoutes {
  readonly answers: Answers;
  readonly store: SilenceStore;
  readonly listing: SilenceListing;
  readonly reading: MatcherReading;
  readonly now: () => number;
  readonly log: Log;
}

/** GET /silences: those that contain every filter matcher, active ones first. */
export function listSilences({ answers, listing, reading, now }: SilenceRoutes): HttpHandler {
  return (c) => {
    const unacceptable = refuseUnacceptable(c, answers);
    if (unacceptable) return unacceptable;
    const parameters = readParameters(c.req.url);
    const matchers = readMatchers(parameters.getAll('filter'), reading);
    if (!matchers.ok) return answers.refuse(c, 400, matchers.reason);
    const states = {
      active: readFlag(parameters.getAll('active')),
      pending: readFlag(parameters.getAll('pending')),
      expired: readFlag(parameters.getAll('expired')),
    };
    return answers.array(c, listing.select(matchers.value, states, now()));
  };
}

/** POST /silences: creates a silence, or updates the one with its id. Answered when it is on disk. */
export function postSilence({ answers, store, now, log }: SilenceRoutes): HttpHandler {
  return async (c) => {
    const body = await readJsonBody(c, answers, 'silence');
    if (!body.ok) return body.response;
    const posted = readPostableSilence(body.value);
    if (!posted.ok) return answers.refuse(c, 400, posted.reason);
    const at = now();
    const { startsAt, endsAt } = posted.value;
    if (endsAt === undefined || (startsAt !== undefined && startsAt >= endsAt)) {
      return answers.refuse(c, 400, 'Failed to create silence: start time must be before end time');
    }
    if (endsAt < at) return answers.refuse(c, 400, "Failed to create silence: end time can't be in the past");
    const result = await orDiskFailure(store.set({ ...posted.value, endsAt }, at), log);
    if (result === undefined)
      return answers.refuse(c, 500, 'the silence could not be written to disk; see the log of the server');
    if (result.ok) return answers.json(c, { silenceID: result.value } satisfies SilenceId);
    return answers.refuse(c, result.reason === 'silence not found' ? 404 : 400, result.reason);
  };
}

/** GET /silence/{silenceID} */
export function readSilence({ answers, store, now }: SilenceRoutes): HttpHandler {
  return (c) => {
    const unacceptable = refuseUnacceptable(c, answers);
    if (unacceptable) return unacceptable;
    const silence = store.get(idOf(c));
    if (!silence) return answers.empty(c, 404);
    return answers.jsonText(c, printSilence(silence, silenceStateAt(silence, now())));
  };
}

/** DELETE /silence/{silenceID}: expires it. Answered when that is on disk. */
export function expireSilence({ answers, store, now, log }: SilenceRoutes): HttpHandler {
  return async (c) => {
    const unacceptable = refuseUnacceptable(c, answers);
    if (unacceptable) return unacceptable;
    const known = await orDiskFailure(store.expire(idOf(c), now()), log);
    if (known === undefined)
      return answers.refuse(c, 500, 'the silence could not be written to disk; see the log of the server');
    return answers.empty(c, known ? 200 : 404);
  };
}

function idOf(c: HttpContext): string {
  return c.req.param('silenceID') ?? '';
}

async function orDiskFailure<T>(written: Promise<T>, log: Log): Promise<T | undefined> {
  try {
    return await written;
  } catch (error) {
    log.error('a silence could not be written to disk', { err: messageOf(error) });
    return undefined;
  }
}

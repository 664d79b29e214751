import { messageOf } from '../../kernel/errors.ts';
import type { HttpContext, HttpHandler } from '../../kernel/http/app.ts';
import type { Log } from '../../kernel/log.ts';
import { StorageAwayError } from '../../kernel/postgres/storage-error.ts';
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
    const written = await orStorageFailure(store.set({ ...posted.value, endsAt }, at), log);
    if (!written.ok) return answers.refuse(c, written.status, written.reason);
    const result = written.value;
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
    const written = await orStorageFailure(store.expire(idOf(c), now()), log);
    if (!written.ok) return answers.refuse(c, written.status, written.reason);
    return answers.empty(c, written.value ? 200 : 404);
  };
}

function idOf(c: HttpContext): string {
  return c.req.param('silenceID') ?? '';
}

type Written<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly status: 500 | 503; readonly reason: string };

async function orStorageFailure<T>(written: Promise<T>, log: Log): Promise<Written<T>> {
  try {
    return { ok: true, value: await written };
  } catch (error) {
    if (error instanceof StorageAwayError) {
      const advice = error.isUncertain ? 'it may be written: look before you try again' : 'try again later';
      return { ok: false, status: 503, reason: `the silence could not be written: ${messageOf(error)}; ${advice}` };
    }
    log.error('a silence could not be written', { err: messageOf(error) });
    const reason = 'the silence could not be written; see the log of the server';
    return { ok: false, status: 500, reason };
  }
}

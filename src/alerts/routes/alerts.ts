import type { HttpContext, HttpHandler } from '../../kernel/http.ts';
import { accepted, type Outcome } from '../../kernel/outcome.ts';
import type { AlertListing, AlertQuery, RoutingNames } from '../alert-listing.ts';
import { unreadable } from '../contract/body.ts';
import { readPostableAlert } from '../contract/postable.ts';
import {
  type MatcherReading,
  readFlag,
  readMatchers,
  readParameters,
  readReceiver,
  readReceiverMatchers,
} from '../contract/query.ts';
import type { PostedAlert } from '../domain/alert.ts';
import type { Answers } from './answers.ts';
import { readJsonBody, refuseUnacceptable } from './guards.ts';

export interface AlertRoutes {
  readonly answers: Answers;
  readonly listing: AlertListing;
  readonly names: RoutingNames;
  readonly reading: MatcherReading;
  readonly now: () => number;
  /** Takes posted alerts in; returns why some of them were not. */
  readonly receive: (posted: readonly Outcome<PostedAlert>[], now: number) => readonly string[];
}

/** GET /alerts: every alert that is not resolved, by fingerprint. */
export function listAlerts({ answers, listing, names, reading, now }: AlertRoutes): HttpHandler {
  return (c) => {
    const unacceptable = refuseUnacceptable(c, answers);
    if (unacceptable) return unacceptable;
    const query = readQuery(c, reading);
    if (!query.ok) return answers.refuse(c, 400, query.reason);
    return answers.array(c, listing.alerts(query.value, names, now()));
  };
}

/** GET /alerts/groups: the same alerts by group. Of the states, `unprocessed` is no parameter here. */
export function listAlertGroups({ answers, listing, names, reading, now }: AlertRoutes): HttpHandler {
  return (c) => {
    const unacceptable = refuseUnacceptable(c, answers);
    if (unacceptable) return unacceptable;
    const query = readQuery(c, reading);
    if (!query.ok) return answers.refuse(c, 400, query.reason);
    return answers.array(
      c,
      listing.groups({ ...query.value, states: { ...query.value.states, unprocessed: true } }, names, now()),
    );
  };
}

/** POST /alerts: every good alert is taken in, also beside bad ones, which are named in the answer. */
export function postAlerts({ answers, now, receive }: AlertRoutes): HttpHandler {
  return async (c) => {
    const body = await readJsonBody(c, answers, 'alerts');
    if (!body.ok) return body.response;
    if (!Array.isArray(body.value))
      return answers.refuse(c, 400, unreadable('alerts', 'the body must be an array of alerts'));
    const reasons = receive(body.value.map(readPostableAlert), now());
    return reasons.length === 0 ? answers.empty(c, 200) : answers.refuse(c, 400, reasons.join('\n'));
  };
}

function readQuery(c: HttpContext, reading: MatcherReading): Outcome<AlertQuery> {
  const parameters = readParameters(c.req.url);
  const filter = readMatchers(parameters.getAll('filter'), reading);
  if (!filter.ok) return filter;
  const receiver = readReceiver(parameters.getAll('receiver'));
  if (!receiver.ok) return receiver;
  const receiverMatchers = readReceiverMatchers(parameters.getAll('receiver_matchers'), reading);
  if (!receiverMatchers.ok) return receiverMatchers;
  return accepted({
    filter: filter.value,
    receiver: receiver.value,
    receiverMatchers: receiverMatchers.value,
    states: {
      active: readFlag(parameters.getAll('active')),
      silenced: readFlag(parameters.getAll('silenced')),
      inhibited: readFlag(parameters.getAll('inhibited')),
      unprocessed: readFlag(parameters.getAll('unprocessed')),
    },
    muted: readFlag(parameters.getAll('muted')),
  });
}

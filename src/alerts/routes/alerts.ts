import { goOn, type HttpContext, type HttpHandler } from '../../kernel/http/app.ts';
import { accepted, type Outcome } from '../../kernel/outcome.ts';
import { readPostedAlerts } from '../contract/posted-alerts.ts';
import {
  type MatcherReading,
  readFlag,
  readMatchers,
  readParameters,
  readReceiver,
  readReceiverMatchers,
} from '../contract/query.ts';
import type { AlertListing } from '../listing/alert-listing.ts';
import type { AlertQuery, RoutingNames } from '../listing/alert-query.ts';
import type { Answers } from './answers.ts';
import { readJsonBytes, refuseUnacceptable } from './guards.ts';

type Received = Outcome<readonly string[]>;

export interface AlertRoutes {
  readonly answers: Answers;
  readonly listing: AlertListing;
  readonly names: RoutingNames;
  readonly reading: MatcherReading;
  readonly now: () => number;
  /** Stores posted alerts as they are read; returns the reasons for refused ones, or the refusal of the whole post. */
  readonly receive: (reading: ReturnType<typeof readPostedAlerts>) => Received | Promise<Received>;
}

/** GET /alerts: all unresolved alerts, by fingerprint. */
export function listAlerts({ answers, listing, names, reading, now }: AlertRoutes): HttpHandler {
  return (c) => {
    const unacceptable = refuseUnacceptable(c, answers);
    if (unacceptable) return unacceptable;
    const query = readQuery(c, reading);
    if (!query.ok) return answers.refuse(c, 400, query.reason);
    return answers.array(c, listing.alerts(query.value, names, now()));
  };
}

/** GET /alerts/groups: the same alerts by group. There is no parameter `unprocessed`. */
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

/** POST /alerts: stores every valid alert; the answer names the invalid ones. */
export function postAlerts({ answers, receive }: AlertRoutes): HttpHandler {
  return (c) =>
    goOn(readJsonBytes(c, answers), (body) => {
      if (!body.ok) return body.response;
      return goOn(receive(readPostedAlerts(body.value)), (reasons) => {
        if (!reasons.ok) return answers.refuse(c, 400, reasons.reason);
        return reasons.value.length === 0 ? answers.empty(c, 200) : answers.refuse(c, 400, reasons.value.join('\n'));
      });
    });
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

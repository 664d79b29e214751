import type { HttpContext, HttpHandler } from '../../kernel/http/app.ts';
import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import { StorageAwayError } from '../../kernel/postgres/storage-error.ts';
import type { Explanation } from '../contract/explanation.ts';
import { formatInstant, readInstant } from '../contract/instant.ts';
import {
  type MatcherReading,
  type QueryParameters,
  readFlag,
  readMatchers,
  readParameters,
} from '../contract/query.ts';
import type { SentNotification } from '../contract/wire.ts';
import { createLabelSet, type LabelSet } from '../domain/label-set.ts';
import type { HistoryQuery, StoredNotification } from '../pipeline/notification/history.ts';
import type { Answers } from './answers.ts';
import { refuseUnacceptable } from './guards.ts';

export interface NotificationRoutes {
  readonly answers: Answers;
  /** Newest first. */
  readonly list: (query: HistoryQuery) => Promise<readonly StoredNotification[]>;
  readonly reading: MatcherReading;
  readonly explain: (labels: LabelSet) => Explanation;
}

const DEFAULT_LIMIT = 100;
const MAX_NOTIFICATIONS = 10_000;

/** GET /notifications: what was sent, when, why, to which receiver and with which result. opsdeck's own. */
export function listNotifications({ answers, list, reading }: NotificationRoutes): HttpHandler {
  return async (c) => {
    const unacceptable = refuseUnacceptable(c, answers);
    if (unacceptable) return unacceptable;
    const query = readHistoryQuery(readParameters(c.req.url), reading);
    if (!query.ok) return answers.refuse(c, 400, query.reason);
    const records = await orStorageAway(list(query.value));
    if (!records.ok) return refuseHistory(c, answers, records.reason);
    return answers.json(c, records.value.map(printNotification));
  };
}

export function printNotification(record: StoredNotification): SentNotification {
  const { id, at, receiver, integration, index, error, templateError, ...rest } = record;
  return {
    id,
    at: formatInstant(at),
    receiver,
    integration,
    index,
    result: error === undefined ? 'sent' : 'failed',
    ...rest,
    ...(error === undefined ? {} : { error }),
    ...(templateError === undefined ? {} : { templateError }),
  };
}

/** Refused while the storage is away. */
export async function orStorageAway<T>(reading: Promise<T>): Promise<Outcome<T>> {
  try {
    return accepted(await reading);
  } catch (error) {
    if (error instanceof StorageAwayError) return refused(error.message);
    throw error;
  }
}

export function refuseHistory(c: HttpContext, answers: Answers, reason: string): Response {
  return answers.refuse(c, 503, `the history cannot be read: ${reason}; try again later`);
}

/** GET /explain: what happens to an alert with the labels of the parameters, and why. opsdeck's own. */
export function explain({ answers, explain }: NotificationRoutes): HttpHandler {
  return (c) => {
    const unacceptable = refuseUnacceptable(c, answers);
    if (unacceptable) return unacceptable;
    const labels = readLabels(readParameters(c.req.url).getAll('label'));
    return labels.ok ? answers.json(c, explain(labels.value)) : answers.refuse(c, 400, labels.reason);
  };
}

function readHistoryQuery(parameters: QueryParameters, reading: MatcherReading): Outcome<HistoryQuery> {
  const filter = readMatchers(parameters.getAll('filter'), reading);
  if (!filter.ok) return filter;
  const last = (name: string) => parameters.getAll(name).at(-1) || undefined;
  const [limit, since, failed] = [last('limit'), last('since'), last('failed')];
  const count = limit === undefined ? DEFAULT_LIMIT : Number(limit);
  if (!Number.isInteger(count) || count < 1 || count > MAX_NOTIFICATIONS)
    return refused(`limit must be a whole number from 1 to ${MAX_NOTIFICATIONS}, found ${JSON.stringify(limit)}`);
  const sinceAt = since === undefined ? undefined : readInstant(since);
  if (sinceAt && !sinceAt.ok)
    return refused(`since must be a time such as 2026-01-31T12:00:00Z, found ${JSON.stringify(since)}`);
  return accepted({
    receiver: last('receiver'),
    integration: last('integration'),
    groupKey: last('groupKey'),
    since: sinceAt?.ok ? sinceAt.value : undefined,
    failed: failed === undefined ? undefined : readFlag([failed]),
    filter: filter.value,
    limit: count,
  });
}

/** Each `name=value`. */
export function readLabels(pairs: readonly string[]): Outcome<LabelSet> {
  const labels: [string, string][] = [];
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    if (equals < 1) return refused(`label must be written name=value, found ${JSON.stringify(pair)}`);
    labels.push([pair.slice(0, equals), pair.slice(equals + 1)]);
  }
  if (labels.length === 0) return refused('name at least one label, as in ?label=alertname%3DDiskFull');
  return accepted(createLabelSet(Object.fromEntries(labels)));
}

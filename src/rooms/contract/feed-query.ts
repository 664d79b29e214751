import { accepted, type Outcome, type Refusal, refuse } from '../domain/refusal.ts';
import { STREAM_TYPES } from './feed.ts';

/** The position after which a stream continues. */
export interface Cursor {
  /** `null`: the current log, from its beginning. */
  readonly epoch: string | null;
  readonly pos: number;
}

/** The events that a stream is asked for. */
export interface FeedQuery {
  /** `undefined`: only events from now on. */
  readonly cursor: Cursor | undefined;
  /** Ids or slugs; `null`: all rooms that the caller has joined. */
  readonly rooms: readonly string[] | null;
  /** `null` is all. */
  readonly types: ReadonlySet<string> | null;
  readonly ephemeral: boolean;
}

export interface LogQuery extends FeedQuery {
  readonly limit: number;
  readonly waitMs: number;
}

/** Reads a parameter of the query; of a repeated one the first. */
export type QueryText = (name: string) => string | undefined;

const CURSOR = /^([a-z0-9]{1,16})-(\d{1,15})$/;
const MAX_ROOMS = 100;
const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;
const DEFAULT_WAIT_S = 25;
const MAX_WAIT_S = 60;

/** `lastEventId`: the header of that name, which takes precedence over `since`. */
export function readFeedQuery(query: QueryText, lastEventId: string | undefined): Outcome<FeedQuery> {
  const cursor = readCursor(lastEventId || query('since'));
  if (!cursor.ok) return cursor;
  const types = readTypes(query('types'));
  if (!types.ok) return types;
  const rooms = listOf(query('rooms'));
  if (rooms && rooms.length > MAX_ROOMS) return refuse('invalid_query', `rooms: at most ${MAX_ROOMS}`);
  const ephemeral = query('ephemeral') ?? '1';
  if (ephemeral !== '0' && ephemeral !== '1') return refuse('invalid_query', 'ephemeral: 0 or 1');
  return accepted({ cursor: cursor.value, rooms, types: types.value, ephemeral: ephemeral === '1' });
}

export function readLogQuery(query: QueryText, lastEventId: string | undefined): Outcome<LogQuery> {
  const feed = readFeedQuery(query, lastEventId);
  if (!feed.ok) return feed;
  const limit = wholeNumber('limit', query('limit'), DEFAULT_LIMIT, { least: 1, most: MAX_LIMIT });
  if (!limit.ok) return limit;
  const wait = wholeNumber('wait', query('wait'), DEFAULT_WAIT_S, { least: 0, most: MAX_WAIT_S });
  if (!wait.ok) return wait;
  return accepted({ ...feed.value, limit: limit.value, waitMs: wait.value * 1000 });
}

/** Refuses tokens in a URL: they would end up in logs, histories and the Referer of other requests. */
export function refuseSecrets(query: Readonly<Record<string, string>>): Refusal | undefined {
  for (const [name, value] of Object.entries(query)) {
    if (!/^(access_?)?token$|^api_?key$|^auth(orization)?$/i.test(name) && !value.startsWith('odr_')) continue;
    return refuse(
      'invalid_query',
      `${name}: a token does not belong in a URL; send it as "Authorization: Bearer …", or get a ticket from POST /api/event/ticket and send ?ticket=`,
    );
  }
  return undefined;
}

function readCursor(text: string | undefined): Outcome<Cursor | undefined> {
  if (text === undefined) return accepted(undefined);
  if (text === '0') return accepted({ epoch: null, pos: 0 });
  const [, epoch, digits] = CURSOR.exec(text) ?? [];
  if (epoch === undefined) return refuse('invalid_cursor', 'since: an id of an event or a cursor, as they came, or 0');
  return accepted({ epoch, pos: Number(digits) });
}

function readTypes(text: string | undefined): Outcome<ReadonlySet<string> | null> {
  const types = listOf(text);
  if (!types) return accepted(null);
  const unknown = types.find((type) => !STREAM_TYPES.has(type));
  if (unknown !== undefined)
    return refuse('invalid_query', `types: there is no ${unknown}; there are ${[...STREAM_TYPES].join(', ')}`);
  return accepted(new Set(types));
}

/** The parts between commas; `null` if there is none. */
function listOf(text: string | undefined): readonly string[] | null {
  const parts = (text ?? '').split(',').flatMap((part) => part.trim() || []);
  return parts.length === 0 ? null : [...new Set(parts)];
}

function wholeNumber(
  name: string,
  text: string | undefined,
  otherwise: number,
  { least, most }: { readonly least: number; readonly most: number },
): Outcome<number> {
  if (text === undefined) return accepted(otherwise);
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most
    ? accepted(value)
    : refuse('invalid_query', `${name}: a whole number from ${least} to ${most}`);
}

import * as v from 'valibot';
import type { Outcome } from '../../kernel/outcome.ts';
import { readInstant } from './instant.ts';

/** The requested events; epoch milliseconds, both ends included. */
export interface EventRequest {
  /** Undefined: the first configured user. */
  readonly user: string | undefined;
  readonly startAt: number | undefined;
  readonly endAt: number | undefined;
  /** Bypasses the cache. */
  readonly refresh: boolean;
  /** Accepts the events before a failure. */
  readonly allowPartial: boolean;
  /** Of an assistant: only what has changed after this version. */
  readonly changedAfter: number | undefined;
}

export interface InvalidEventRequest {
  readonly code: 'invalid_body' | 'invalid_date' | 'invalid_range' | 'invalid_version';
  readonly reason: string;
}

const dateSchema = v.nullish(v.union([v.string(), v.number()], 'must be a text or a number'));
const switchSchema = v.nullish(v.union([v.boolean(), v.string(), v.number()]));
const bodySchema = v.looseObject(
  {
    user: v.nullish(v.string('must be a text')),
    startDate: dateSchema,
    endDate: dateSchema,
    refresh: switchSchema,
    allowPartial: switchSchema,
    changedAfter: dateSchema,
  },
  'must be an object',
);

/** Reads a query or a JSON body. */
export function readEventRequest(value: unknown): Outcome<EventRequest, InvalidEventRequest> {
  const parsed = v.safeParse(bodySchema, value, { abortEarly: true });
  if (!parsed.success) {
    const [issue] = parsed.issues;
    return { ok: false, code: 'invalid_body', reason: `${v.getDotPath(issue) ?? 'the body'} ${issue.message}` };
  }
  const { user, startDate, endDate, refresh, allowPartial } = parsed.output;
  const startAt = readDate(startDate, 'start');
  const endAt = readDate(endDate, 'end');
  if (startAt === null) return refuseDate('startDate');
  if (endAt === null) return refuseDate('endDate');
  if (startAt !== undefined && endAt !== undefined && startAt > endAt)
    return { ok: false, code: 'invalid_range', reason: 'startDate is later than endDate' };
  const changedAfter = readVersion(parsed.output.changedAfter);
  if (Number.isNaN(changedAfter))
    return { ok: false, code: 'invalid_version', reason: 'changedAfter must be the version of an earlier answer' };
  const switches = { refresh: isOn(refresh), allowPartial: isOn(allowPartial) };
  return { ok: true, value: { user: user || undefined, startAt, endAt, ...switches, changedAfter } };
}

/** Null for an invalid date. */
function readDate(value: string | number | null | undefined, edge: 'start' | 'end'): number | undefined | null {
  if (value === undefined || value === null || value === '') return undefined;
  return readInstant(value, edge) ?? null;
}

/** NaN for an invalid one. */
function readVersion(value: string | number | null | undefined): number | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  return /^\d{1,15}$/.test(String(value)) ? Number(value) : Number.NaN;
}

function refuseDate(name: string): Outcome<EventRequest, InvalidEventRequest> {
  const reason = `${name} must be milliseconds or seconds since 1970, ISO 8601 or YYYY-MM-DD, from 2000 to 2100`;
  return { ok: false, code: 'invalid_date', reason };
}

function isOn(value: boolean | string | number | null | undefined): boolean {
  return value === true || value === 1 || value === '1' || value === 'true';
}

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
}

export interface InvalidEventRequest {
  readonly code: 'invalid_body' | 'invalid_date' | 'invalid_range';
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
  return {
    ok: true,
    value: { user: user || undefined, startAt, endAt, refresh: isOn(refresh), allowPartial: isOn(allowPartial) },
  };
}

/** Null for an invalid date. */
function readDate(value: string | number | null | undefined, edge: 'start' | 'end'): number | undefined | null {
  if (value === undefined || value === null || value === '') return undefined;
  return readInstant(value, edge) ?? null;
}

function refuseDate(name: string): Outcome<EventRequest, InvalidEventRequest> {
  const reason = `${name} must be milliseconds or seconds since 1970, ISO 8601 or YYYY-MM-DD, from 2000 to 2100`;
  return { ok: false, code: 'invalid_date', reason };
}

function isOn(value: boolean | string | number | null | undefined): boolean {
  return value === true || value === 1 || value === '1' || value === 'true';
}

import * as v from 'valibot';
import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import type { MarkerStore } from '../domain/marker/marker.ts';

/** The stored document, with unknown fields of it and its markers. */
export interface MarkerDocument extends MarkerStore, Readonly<Record<string, unknown>> {}

export const EMPTY_MARKERS: MarkerDocument = { version: 1, markers: [] };

const optionalText = v.nullish(v.string('must be a text'), '');
const instant = v.pipe(
  v.string('must be a time such as 2026-05-04T09:00:00Z'),
  v.check((text) => readMarkerInstant(text) !== undefined, 'must be a time such as 2026-05-04T09:00:00Z'),
);

const markerSchema = v.pipe(
  v.looseObject({
    id: v.pipe(v.string('must be a text'), v.nonEmpty('must not be empty'), v.maxLength(200, 'is longer than 200')),
    user: v.pipe(v.string('must be a text'), v.nonEmpty('must not be empty')),
    start: instant,
    end: v.nullish(instant, null),
    project: optionalText,
    task: optionalText,
    note: optionalText,
    createdAt: v.nullish(instant),
    updatedAt: v.nullish(instant),
  }),
  v.forward(
    v.check(
      ({ start, end }) => end === null || (readMarkerInstant(end) ?? 0) > (readMarkerInstant(start) ?? 0),
      'must be later than start',
    ),
    ['end'],
  ),
);

const documentSchema = v.looseObject(
  {
    version: v.optional(v.literal(1, 'must be 1: another version is not known here')),
    markers: v.array(markerSchema, 'must be a list'),
  },
  'must be an object with version and markers',
);

/**
 * Reads a marker document. Missing texts become empty, missing times of creation and change `now` (epoch milliseconds);
 * unknown fields are kept. The reason names the place, such as `markers[3].end`.
 */
export function readMarkerDocument(value: unknown, now: number): Outcome<MarkerDocument> {
  const parsed = v.safeParse(documentSchema, value, { abortEarly: true });
  if (!parsed.success) return refused(printIssue(parsed.issues[0]));
  const { markers } = parsed.output;
  const seen = new Map<string, number>();
  for (const [index, { id }] of markers.entries()) {
    const first = seen.get(id);
    if (first !== undefined) return refused(`markers[${index}].id is that of markers[${first}] too`);
    seen.set(id, index);
  }
  const stamp = new Date(now).toISOString();
  const stored = markers.map((marker) => ({
    ...marker,
    createdAt: marker.createdAt ?? stamp,
    updatedAt: marker.updatedAt ?? stamp,
  }));
  return accepted({ ...parsed.output, version: 1, markers: stored });
}

/** Epoch milliseconds of a marker's time; the page reads it alike. */
export function readMarkerInstant(text: string): number | undefined {
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}

/** The document with only the markers of a user and those for all users; `all` keeps every marker. */
export function selectMarkers(document: MarkerDocument, user: string): MarkerDocument {
  if (user === 'all') return document;
  return { ...document, markers: document.markers.filter((marker) => marker.user === user || marker.user === 'all') };
}

function printIssue(issue: v.BaseIssue<unknown>): string {
  let place = '';
  for (const { key } of issue.path ?? [])
    place += typeof key === 'number' ? `[${key}]` : place === '' ? String(key) : `.${String(key)}`;
  const isMissing = issue.received === 'undefined';
  return `${place || 'the document'} ${isMissing ? 'is missing' : issue.message}`;
}

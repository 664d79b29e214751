import { accepted, type Outcome, refused } from '../../../kernel/outcome.ts';
import { type MarkerDocument, readMarkerInstant } from '../../contract/markers.ts';
import type { ProjectMarker } from '../../domain/marker/marker.ts';

export interface MarkerDraft {
  readonly id: string;
  readonly user: string;
  /** Epoch milliseconds; null: open. */
  readonly startAt: number;
  readonly endAt: number | null;
  readonly project: string;
  readonly task: string;
  readonly note: string;
}

const iso = (at: number) => new Date(at).toISOString();

export function addMarker(document: MarkerDocument, draft: MarkerDraft, now: number): MarkerDocument {
  const { startAt, endAt, ...texts } = draft;
  const times = {
    start: iso(startAt),
    end: endAt === null ? null : iso(endAt),
    createdAt: iso(now),
    updatedAt: iso(now),
  };
  return { ...document, markers: [...document.markers, { ...texts, ...times }] };
}

/** The open marker with the latest start, of one user or of all. */
export function findOpen(document: MarkerDocument, user: string | undefined): ProjectMarker | undefined {
  const open = document.markers.filter((marker) => marker.end === null && (user === undefined || marker.user === user));
  return open.reduce<ProjectMarker | undefined>(
    (last, marker) => (last === undefined || startOf(marker) >= startOf(last) ? marker : last),
    undefined,
  );
}

export function endMarker(document: MarkerDocument, id: string, endAt: number, now: number): MarkerDocument {
  const end = (marker: ProjectMarker) =>
    marker.id === id ? { ...marker, end: iso(endAt), updatedAt: iso(now) } : marker;
  return { ...document, markers: document.markers.map(end) };
}

/** The only marker whose id begins with the typed text. */
export function findById(document: MarkerDocument, typed: string): Outcome<ProjectMarker> {
  const exact = document.markers.find(({ id }) => id === typed);
  if (exact) return accepted(exact);
  const [first, second] = document.markers.filter(({ id }) => typed !== '' && id.startsWith(typed));
  if (!first) return refused(`there is no marker ${JSON.stringify(typed)}`);
  return second ? refused(`several markers begin with ${JSON.stringify(typed)}`) : accepted(first);
}

export function removeMarker(document: MarkerDocument, id: string): MarkerDocument {
  return { ...document, markers: document.markers.filter((marker) => marker.id !== id) };
}

function startOf(marker: ProjectMarker): number {
  return readMarkerInstant(marker.start) ?? 0;
}

import { compareIds, type MarkerStore, type ProjectMarker } from './marker.ts';

export type SkipReason = 'not-an-object' | 'no-id' | 'no-user' | 'start' | 'end' | 'end-before-start' | 'duplicate-id';

export interface SkippedMarker {
  /** From 0, in the imported list. */
  readonly index: number;
  readonly reason: SkipReason;
}

export interface ReadMarkers {
  readonly markers: readonly ProjectMarker[];
  readonly skipped: readonly SkippedMarker[];
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads a parsed JSON value as markers: a store document or a bare array. Undefined for what is neither, and for a
 * store of a version that is not known. Fields beyond the known ones stay. `now` stands in for times that are missing.
 */
export function readMarkers(value: unknown, now: number): ReadMarkers | undefined {
  const list = listOf(value);
  if (!list) return undefined;
  const markers: ProjectMarker[] = [];
  const skipped: SkippedMarker[] = [];
  const ids = new Set<string>();
  for (const [index, entry] of list.entries()) {
    const read = readMarker(entry, now);
    const reason = typeof read === 'string' ? read : ids.has(read.id) ? 'duplicate-id' : undefined;
    if (typeof read === 'string' || reason) skipped.push({ index, reason: reason as SkipReason });
    else {
      ids.add(read.id);
      markers.push(read);
    }
  }
  return { markers, skipped };
}

function listOf(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'object' || value === null) return undefined;
  const { version = 1, markers } = value as { readonly version?: unknown; readonly markers?: unknown };
  return version === 1 && Array.isArray(markers) ? markers : undefined;
}

function readMarker(entry: unknown, now: number): ProjectMarker | SkipReason {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return 'not-an-object';
  const fields = entry as Fields;
  const { id, user, start, end = null } = fields;
  if (typeof id !== 'string' || id === '') return 'no-id';
  if (typeof user !== 'string' || user === '') return 'no-user';
  if (typeof start !== 'string' || Number.isNaN(Date.parse(start))) return 'start';
  if (end !== null && (typeof end !== 'string' || Number.isNaN(Date.parse(end)))) return 'end';
  if (typeof end === 'string' && Date.parse(end) <= Date.parse(start)) return 'end-before-start';
  const text = (name: string) => (typeof fields[name] === 'string' ? (fields[name] as string) : '');
  const time = (name: string) => (Number.isNaN(Date.parse(text(name))) ? new Date(now).toISOString() : text(name));
  return {
    ...fields,
    id,
    user,
    start,
    end,
    project: text('project'),
    task: text('task'),
    note: text('note'),
    createdAt: time('createdAt'),
    updatedAt: time('updatedAt'),
  };
}

const updatedAtOf = (marker: ProjectMarker) => Date.parse(marker.updatedAt) || 0;

export interface MarkerMerge {
  readonly markers: readonly ProjectMarker[];
  readonly added: number;
  readonly updated: number;
  /** Those that are known already, as new or newer. */
  readonly unchanged: number;
}

/** Adds imported markers to the own ones: of equal ids the newer `updatedAt` wins, the own one a tie. Never deletes. */
export function mergeMarkers(own: readonly ProjectMarker[], imported: readonly ProjectMarker[]): MarkerMerge {
  const merged = new Map(own.map((marker) => [marker.id, marker]));
  let added = 0;
  let updated = 0;
  for (const marker of imported) {
    const known = merged.get(marker.id);
    if (known && updatedAtOf(known) >= updatedAtOf(marker)) continue;
    if (known) updated++;
    else added++;
    merged.set(marker.id, marker);
  }
  return { markers: [...merged.values()], added, updated, unchanged: imported.length - added - updated };
}

/** What the client knew after its last sync: `updatedAt` by id. */
export type SyncedMarkers = Readonly<Record<string, string>>;

export interface MarkerSync {
  /** What both sides should hold from now on. */
  readonly markers: readonly ProjectMarker[];
  readonly synced: SyncedMarkers;
  /** Whether the server has to be told. */
  readonly mustPut: boolean;
}

/**
 * Brings client and server together: by id the newer `updatedAt` wins, the server a tie. What both once had and one is
 * missing now was deleted there, and stays deleted unless the other side edited it since.
 */
export function syncMarkers(
  local: readonly ProjectMarker[],
  server: readonly ProjectMarker[],
  synced: SyncedMarkers,
): MarkerSync {
  const known = new Map(Object.entries(synced));
  const ofLocal = new Map(local.map((marker) => [marker.id, marker]));
  const ofServer = new Map(server.map((marker) => [marker.id, marker]));
  const isEdited = (marker: ProjectMarker) => {
    const then = known.get(marker.id);
    return then === undefined || updatedAtOf(marker) > (Date.parse(then) || 0);
  };
  const markers: ProjectMarker[] = [];
  for (const id of new Set([...ofServer.keys(), ...ofLocal.keys()])) {
    const here = ofLocal.get(id);
    const there = ofServer.get(id);
    if (here && there) markers.push(updatedAtOf(here) > updatedAtOf(there) ? here : there);
    else {
      const only = here ?? there;
      if (only && isEdited(only)) markers.push(only);
    }
  }
  const mustPut = markers.length !== ofServer.size || markers.some((marker) => ofServer.get(marker.id) !== marker);
  return { markers, synced: syncedOf(markers), mustPut };
}

/** What to remember after both sides held these. */
export function syncedOf(markers: readonly ProjectMarker[]): SyncedMarkers {
  return Object.fromEntries(markers.map(({ id, updatedAt }) => [id, updatedAt]));
}

/** A store as a file shows it: by start, indented, with a line end. */
export function printMarkerStore(markers: readonly ProjectMarker[]): string {
  const ordered = [...markers].sort((a, b) => Date.parse(a.start) - Date.parse(b.start) || compareIds(a, b));
  const store: MarkerStore = { version: 1, markers: ordered };
  return `${JSON.stringify(store, null, 2)}\n`;
}

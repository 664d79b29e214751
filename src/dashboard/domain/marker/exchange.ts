import { compareIds, type MarkerStore, type ProjectMarker } from './marker.ts';

export type SkipReason = 'not-an-object' | 'no-id' | 'no-user' | 'start' | 'end' | 'end-before-start' | 'duplicate-id';

export interface SkippedMarker {
  /** Index in the imported list. */
  readonly index: number;
  readonly reason: SkipReason;
}

export interface ReadMarkers {
  readonly markers: readonly ProjectMarker[];
  readonly skipped: readonly SkippedMarker[];
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads a parsed JSON value as markers: a store document or an array. Undefined for other values and unknown versions.
 * Unknown fields are kept. `now` replaces missing times.
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
  /** Markers that are known with the same or a newer time. */
  readonly unchanged: number;
}

/**
 * Adds imported markers to the own ones: of equal ids the newer `updatedAt` wins, on a tie the own one. Never deletes.
 */
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

/** The client's markers after its last sync: `updatedAt` by id. */
export type SyncedMarkers = Readonly<Record<string, string>>;

export interface MarkerSync {
  /** The markers for both sides. */
  readonly markers: readonly ProjectMarker[];
  readonly synced: SyncedMarkers;
  /** Whether they must be sent to the server. */
  readonly mustPut: boolean;
}

/**
 * Merges client and server: by id the newer `updatedAt` wins, on a tie the server's. A marker that both had and one
 * side now lacks was deleted there, and stays deleted unless the other side has edited it since.
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

/** The sync record after both sides hold these. */
export function syncedOf(markers: readonly ProjectMarker[]): SyncedMarkers {
  return Object.fromEntries(markers.map(({ id, updatedAt }) => [id, updatedAt]));
}

/** The text of a store file: by start, indented, with a line end. */
export function printMarkerStore(markers: readonly ProjectMarker[]): string {
  const ordered = [...markers].sort((a, b) => Date.parse(a.start) - Date.parse(b.start) || compareIds(a, b));
  const store: MarkerStore = { version: 1, markers: ordered };
  return `${JSON.stringify(store, null, 2)}\n`;
}

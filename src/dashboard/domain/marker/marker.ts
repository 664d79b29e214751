/** An interval labelled with project and task, as stored and exchanged: times are ISO 8601 texts. */
export interface ProjectMarker {
  readonly id: string;
  /** A user's label, or `all`. */
  readonly user: string;
  readonly start: string;
  /** Null: until the next marker of the same user begins, or the filter ends. */
  readonly end: string | null;
  readonly project: string;
  readonly task: string;
  readonly note: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface MarkerStore {
  readonly version: 1;
  readonly markers: readonly ProjectMarker[];
}

/** A marker with resolved times; contains events of `from <= at < to`. */
export interface MarkerInterval {
  readonly marker: ProjectMarker;
  readonly from: number;
  /** Infinity for an open marker that no other marker ends: it lasts until the filter's end. */
  readonly to: number;
  readonly isOpen: boolean;
}

/** Whether a marker applies to a user's events; every marker applies to `all`. */
export function appliesTo(marker: ProjectMarker, user: string): boolean {
  return user === 'all' || marker.user === 'all' || marker.user === user;
}

/**
 * The intervals of markers, by start. An open one ends at the start of the next marker that applies to the same user.
 * Markers with an invalid start, or an end before it, are left out.
 */
export function resolveMarkers(markers: readonly ProjectMarker[]): readonly MarkerInterval[] {
  const starts = markers
    .map((marker) => ({ marker, from: Date.parse(marker.start) }))
    .filter(({ from }) => Number.isFinite(from))
    .sort((a, b) => a.from - b.from || compareIds(a.marker, b.marker));
  const nextStart = nextStarts(starts);
  return starts.flatMap(({ marker, from }, index) => {
    const isOpen = marker.end === null;
    const to = marker.end === null ? (nextStart[index] as number) : Date.parse(marker.end);
    return to > from ? [{ marker, from, to, isOpen }] : [];
  });
}

type Start = { readonly marker: ProjectMarker; readonly from: number };

/** For each, the start of the next marker that applies to its user, computed from the last to the first. */
function nextStarts(starts: readonly Start[]): readonly number[] {
  const result = new Array<number>(starts.length).fill(Number.POSITIVE_INFINITY);
  const ofUser = new Map<string, number>();
  let ofAny = Number.POSITIVE_INFINITY;
  for (let index = starts.length - 1; index >= 0; ) {
    const from = starts[index]?.from as number;
    let first = index;
    // Markers that begin at the same instant do not end each other.
    while (starts[first - 1]?.from === from) first--;
    for (let at = first; at <= index; at++) {
      const user = starts[at]?.marker.user ?? 'all';
      const ofAll = ofUser.get('all') ?? Number.POSITIVE_INFINITY;
      result[at] = user === 'all' ? ofAny : Math.min(ofAll, ofUser.get(user) ?? Number.POSITIVE_INFINITY);
    }
    for (let at = first; at <= index; at++) ofUser.set(starts[at]?.marker.user ?? 'all', from);
    ofAny = from;
    index = first - 1;
  }
  return result;
}

export function compareIds(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

/** The number of other intervals that share time and users with each. */
export function countOverlaps(intervals: readonly MarkerInterval[]): readonly number[] {
  const counts = new Array<number>(intervals.length).fill(0);
  for (const [index, one] of intervals.entries()) {
    for (let other = index + 1; other < intervals.length; other++) {
      const two = intervals[other] as MarkerInterval;
      if (two.from >= one.to) break;
      const shareUsers = appliesTo(one.marker, two.marker.user) || appliesTo(two.marker, one.marker.user);
      if (!shareUsers) continue;
      counts[index] = (counts[index] ?? 0) + 1;
      counts[other] = (counts[other] ?? 0) + 1;
    }
  }
  return counts;
}

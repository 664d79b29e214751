import { appliesTo, compareIds, type MarkerInterval } from './marker.ts';

export const UNMARKED = -1;

/** A span in which one marker owns a user's events. */
interface Reign {
  readonly from: number;
  /** Number of the interval, or UNMARKED. */
  readonly marker: number;
}

/**
 * Assigns to each event the marker that began last of those that contain it; of equal starts a user's marker before one
 * for all, then the newer `updatedAt`, then the greater id. `rows` are by time. Returns the interval's number, or
 * UNMARKED, by row.
 */
export function assignMarkers(
  intervals: readonly MarkerInterval[],
  events: { readonly rows: Uint32Array; readonly at: Float64Array; readonly user: Uint8Array },
  users: readonly string[],
): Int32Array {
  const assigned = new Int32Array(events.user.length).fill(UNMARKED);
  if (intervals.length === 0) return assigned;
  const reigns = users.map((user) => reignsOf(intervals, user));
  const next = new Int32Array(users.length);
  const current = new Int32Array(users.length).fill(UNMARKED);
  const until = Float64Array.from(reigns, (ofUser) => ofUser[0]?.from ?? Number.POSITIVE_INFINITY);
  for (let place = 0; place < events.rows.length; place++) {
    const row = events.rows[place] as number;
    const at = events.at[row] as number;
    const user = events.user[row] as number;
    while (at >= (until[user] as number)) {
      const ofUser = reigns[user] as readonly Reign[];
      const index = next[user] as number;
      current[user] = ofUser[index]?.marker ?? UNMARKED;
      next[user] = index + 1;
      until[user] = ofUser[index + 1]?.from ?? Number.POSITIVE_INFINITY;
    }
    assigned[row] = current[user] as number;
  }
  return assigned;
}

/** Sweeps over starts and ends, with the open intervals in a heap, the highest rank on top. */
function reignsOf(intervals: readonly MarkerInterval[], user: string): readonly Reign[] {
  const own = intervals
    .map((interval, marker) => ({ ...interval, index: marker }))
    .filter(({ marker }) => appliesTo(marker, user))
    .sort((a, b) => a.from - b.from);
  const strength = strengthOf(intervals);
  const instants = [...new Set(own.flatMap(({ from, to }) => [from, to]))].sort((a, b) => a - b);
  const open = new StrengthHeap((marker) => strength[marker] as number);
  const reigns: Reign[] = [];
  let begun = 0;
  for (const instant of instants) {
    for (; own[begun] && (own[begun]?.from as number) <= instant; begun++) open.push(own[begun]?.index as number);
    while (open.top !== undefined && (intervals[open.top]?.to as number) <= instant) open.pop();
    const marker = open.top ?? UNMARKED;
    if (reigns.at(-1)?.marker !== marker) reigns.push({ from: instant, marker });
  }
  return reigns;
}

/** The rank of every interval: greater wins. */
function strengthOf(intervals: readonly MarkerInterval[]): readonly number[] {
  const updatedAt = ({ marker }: MarkerInterval) => Date.parse(marker.updatedAt) || 0;
  const order = intervals
    .map((interval, index) => ({ interval, index }))
    .sort(
      ({ interval: a }, { interval: b }) =>
        a.from - b.from ||
        Number(a.marker.user !== 'all') - Number(b.marker.user !== 'all') ||
        updatedAt(a) - updatedAt(b) ||
        compareIds(a.marker, b.marker),
    );
  const strength = new Array<number>(intervals.length).fill(0);
  for (const [rank, { index }] of order.entries()) strength[index] = rank;
  return strength;
}

class StrengthHeap {
  readonly #entries: number[] = [];
  readonly #strength: (entry: number) => number;

  constructor(strength: (entry: number) => number) {
    this.#strength = strength;
  }

  get top(): number | undefined {
    return this.#entries[0];
  }

  push(entry: number): void {
    const entries = this.#entries;
    let at = entries.push(entry) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#strength(entries[parent] as number) >= this.#strength(entry)) break;
      entries[at] = entries[parent] as number;
      at = parent;
    }
    entries[at] = entry;
  }

  pop(): void {
    const entries = this.#entries;
    const last = entries.pop();
    if (last === undefined || entries.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= entries.length) break;
      const right = child + 1;
      const isRightStronger =
        right < entries.length && this.#strength(entries[right] as number) > this.#strength(entries[child] as number);
      if (isRightStronger) child = right;
      if (this.#strength(entries[child] as number) <= this.#strength(last)) break;
      entries[at] = entries[child] as number;
      at = child;
    }
    entries[at] = last;
  }
}

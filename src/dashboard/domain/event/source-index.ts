import { assignMarkers, UNMARKED } from '../marker/assignment.ts';
import { appliesTo, type MarkerInterval, type ProjectMarker } from '../marker/marker.ts';
import { lowerBound } from '../row-order.ts';
import type { CostBasis, Sums } from '../view.ts';
import type { Zone } from '../zone.ts';
import { type EventColumns, type EventNames, IS_API, IS_BILLED } from './columns.ts';
import type { SourceSet } from './source-set.ts';

/** The events of one source with what is computed of them once and read often. Valid until the data change. */
export class SourceIndex {
  readonly columns: EventColumns;
  readonly names: EventNames;
  readonly zone: Zone;
  readonly set: SourceSet;
  readonly #ofUser = new Map<string, Uint32Array>();
  readonly #costs = new Map<CostBasis, Float64Array>();
  readonly #prefixes = new Map<string, PrefixSums>();
  #scoped:
    | { readonly key: string; readonly intervals: readonly MarkerInterval[]; readonly rows: Uint32Array }
    | undefined;
  readonly #projects = new Map<string, readonly string[]>();
  #assigned: { readonly intervals: readonly MarkerInterval[]; readonly assigned: Int32Array } | undefined;
  #live: number | undefined;

  constructor(columns: EventColumns, names: EventNames, zone: Zone, set: SourceSet) {
    this.columns = columns;
    this.names = names;
    this.zone = zone;
    this.set = set;
  }

  /** The number of live events. */
  get live(): number {
    this.#live ??= this.set.rows.reduce((sum, row) => sum + ((this.columns.flags[row] as number) & IS_API ? 1 : 0), 0);
    return this.#live;
  }

  /** A user's events by time; all of them for `all`. */
  rowsOf(user: string): Uint32Array {
    if (user === 'all') return this.set.rows;
    let rows = this.#ofUser.get(user);
    if (!rows) {
      const number = this.names.users.indexOf(user);
      rows = this.set.rows.filter((row) => this.columns.user[row] === number);
      // A user with all events shares the array.
      if (rows.length === this.set.rows.length) rows = this.set.rows;
      this.#ofUser.set(user, rows);
    }
    return rows;
  }

  /** A user's events of one project (of the marker, else of the log), by time. */
  rowsOfProject(user: string, project: string, intervals: readonly MarkerInterval[]): Uint32Array {
    const key = JSON.stringify([user, project]);
    if (this.#scoped?.key !== key || this.#scoped.intervals !== intervals) {
      const isOf = this.projectTest(project, intervals);
      this.#scoped = { key, intervals, rows: this.rowsOf(user).filter(isOf) };
    }
    return this.#scoped.rows;
  }

  /** Whether rows belong to a project: that of their marker, else of their log. */
  projectTest(project: string, intervals: readonly MarkerInterval[]): (row: number) => boolean {
    const assigned = this.assignedTo(intervals);
    const isOfMarker = intervals.map(({ marker }) => marker.project === project);
    const own = this.names.projects.texts().indexOf(project);
    const { project: projects } = this.columns;
    return (row) => {
      const marker = assigned[row] as number;
      return marker === UNMARKED ? projects[row] === own && own > 0 : isOfMarker[marker] === true;
    };
  }

  /** The projects of a user's logs, sorted. */
  projectsOf(user: string): readonly string[] {
    let found = this.#projects.get(user);
    if (!found) {
      const seen = new Uint8Array(this.names.projects.size);
      if (seen.length > 1) for (const row of this.rowsOf(user)) seen[this.columns.project[row] as number] = 1;
      found = this.names.projects
        .texts()
        .filter((name, number) => seen[number] === 1 && name !== '')
        .sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
      this.#projects.set(user, found);
    }
    return found;
  }

  /** The cost of each row on a basis, in cents. */
  costOf(basis: CostBasis): Float64Array {
    if (basis !== 'billed') return basis === 'list' ? this.columns.list : this.columns.cost;
    let cost = this.#costs.get(basis);
    if (!cost) {
      const { cost: reported, flags } = this.columns;
      cost = new Float64Array(this.columns.length);
      for (let row = 0; row < cost.length; row++) {
        if ((flags[row] as number) & IS_BILLED) cost[row] = reported[row] as number;
      }
      this.#costs.set(basis, cost);
    }
    return cost;
  }

  /** The number of the interval that each row is assigned to. */
  assignedTo(intervals: readonly MarkerInterval[]): Int32Array {
    if (this.#assigned?.intervals !== intervals) {
      const { rows, at } = this.set;
      const { user } = this.columns;
      this.#assigned = { intervals, assigned: assignMarkers(intervals, { rows, at, user }, this.names.users) };
    }
    return this.#assigned.assigned;
  }

  /** Sums of a user's events of `from <= at < to`. */
  sumsOf(user: string, basis: CostBasis, from: number, to: number): Sums {
    const key = `${basis} ${user}`;
    let prefix = this.#prefixes.get(key);
    if (!prefix) {
      prefix = new PrefixSums(this.rowsOf(user), this.columns.total, this.costOf(basis));
      this.#prefixes.set(key, prefix);
    }
    const rows = this.rowsOf(user);
    const low = lowerBound(rows, this.set.at, from);
    return prefix.between(low, Math.max(low, lowerBound(rows, this.set.at, to)));
  }

  /** The rows whose events a marker applies to. */
  placesOf(rows: Uint32Array, marker: ProjectMarker): Uint32Array {
    const { user } = this.columns;
    const isOfUser = this.names.users.map((label) => appliesTo(marker, label));
    const places = new Uint32Array(rows.length);
    let count = 0;
    for (let place = 0; place < rows.length; place++) {
      if (isOfUser[user[rows[place] as number] as number]) places[count++] = place;
    }
    return places.subarray(0, count);
  }
}

const BLOCK = 128;

/** Sums over any stretch of rows, from sums up to every 128th of them. */
class PrefixSums {
  readonly #rows: Uint32Array;
  readonly #tokens: Float64Array;
  readonly #cost: Float64Array;
  readonly #tokensUpTo: Float64Array;
  readonly #costUpTo: Float64Array;

  constructor(rows: Uint32Array, tokens: Float64Array, cost: Float64Array) {
    this.#rows = rows;
    this.#tokens = tokens;
    this.#cost = cost;
    const blocks = Math.floor(rows.length / BLOCK) + 1;
    this.#tokensUpTo = new Float64Array(blocks);
    this.#costUpTo = new Float64Array(blocks);
    let [tokenSum, costSum] = [0, 0];
    for (let place = 0; place < rows.length; place++) {
      if (place % BLOCK === 0) {
        this.#tokensUpTo[place / BLOCK] = tokenSum;
        this.#costUpTo[place / BLOCK] = costSum;
      }
      const row = rows[place] as number;
      tokenSum += tokens[row] as number;
      costSum += cost[row] as number;
    }
    if (rows.length % BLOCK === 0) {
      this.#tokensUpTo[blocks - 1] = tokenSum;
      this.#costUpTo[blocks - 1] = costSum;
    }
  }

  between(low: number, high: number): Sums {
    const [before, until] = [this.#upTo(low), this.#upTo(high)];
    return { requests: high - low, tokens: until.tokens - before.tokens, cost: until.cost - before.cost };
  }

  #upTo(end: number): { readonly tokens: number; readonly cost: number } {
    const block = Math.floor(end / BLOCK);
    let tokens = this.#tokensUpTo[block] as number;
    let cost = this.#costUpTo[block] as number;
    for (let place = block * BLOCK; place < end; place++) {
      const row = this.#rows[place] as number;
      tokens += this.#tokens[row] as number;
      cost += this.#cost[row] as number;
    }
    return { tokens, cost };
  }
}

import type { CsvCounts, CsvFile, CsvFileResult } from './csv/file.ts';
import { CsvReader } from './csv/reader.ts';
import { EventColumns, EventNames } from './event/columns.ts';
import { findDuplicates } from './event/deduplication.ts';
import { appendLiveEvents } from './event/live-event.ts';
import { SourceIndex } from './event/source-index.ts';
import { instantsIn, isCoarse, joinSegments, type Segment } from './event/source-set.ts';
import { TableReader } from './event/table-reader.ts';
import { exportRowsAsCsv, exportRowsAsJson } from './export.ts';
import { categoriesOf } from './marker/category.ts';
import { appliesTo, type MarkerInterval, type ProjectMarker, resolveMarkers } from './marker/marker.ts';
import type { TablePage, TableQuery } from './table-page.ts';
import type { CostBasis, SourceMode, Sums, View, ViewQuery } from './view.ts';
import { answerView, selectEvents, type ViewInput } from './view-answer.ts';
import { zoneOf } from './zone.ts';

export interface UsageUser {
  readonly label: string;
  /** Names of the same user in a CSV's `User` column. */
  readonly email?: string | undefined;
}

export interface LoadedFile {
  readonly fileId: number;
  readonly name: string;
  readonly user: string;
  readonly events: number;
}

export interface CsvImport {
  /** Any chunk of the file's bytes, in order. */
  push(bytes: Uint8Array): CsvCounts;
  /** Adds the rows to the data, or returns why not. To cancel, drop the import. */
  finish(): CsvFileResult;
}

export interface LiveImport {
  /** Live events in any parts. */
  push(events: readonly unknown[]): void;
  /** Adds them to the data; `from`: they replace all from this instant on. */
  finish(from?: number): LiveResult;
}

export interface LiveResult {
  readonly events: number;
  readonly skipped: number;
}

interface StoredSegment extends Segment {
  readonly skipped: number;
  readonly file: (LoadedFile & { readonly size: number }) | undefined;
  readonly user: number;
}

/**
 * All loaded usage events with the markers, and the answers to queries about them. Owned by the page's worker or the
 * terminal's report; only answers leave it.
 */
export class UsageData {
  readonly #names: EventNames;
  readonly #userAliases: ReadonlyMap<string, number>;
  #columns = new EventColumns();
  /** In load order; the order in the columns may differ. */
  #segments: readonly StoredSegment[] = [];
  #nextFileId = 1;
  #intervals: readonly MarkerInterval[] = [];
  #markers: readonly ProjectMarker[] = [];
  #categories: ReadonlyMap<ProjectMarker, string | undefined> = new Map();
  readonly #indexes = new Map<string, SourceIndex>();
  readonly #tables = new TableReader();
  #instants: { readonly zone: string; readonly at: Float64Array } | undefined;

  constructor(users: readonly UsageUser[]) {
    this.#names = new EventNames(users.map(({ label }) => label));
    this.#userAliases = new Map(
      users.flatMap(({ label, email }, number) =>
        [label, ...(email ? [email] : [])].map((alias) => [alias.toLowerCase(), number] as const),
      ),
    );
  }

  get files(): readonly LoadedFile[] {
    return this.#segments.flatMap(({ file }) => {
      if (!file) return [];
      const { fileId, name, user, events } = file;
      return [{ fileId, name, user, events }];
    });
  }

  /** Events later than a day after `now` are rejected. */
  openCsv(file: CsvFile, now: number): CsvImport {
    const reader = new CsvReader(file, this.#names, this.#userAliases, now);
    return {
      push: (bytes) => reader.push(bytes),
      finish: () => {
        const reading = reader.finish();
        if (reading.error) return reader.describe(reading, 'rejected', undefined);
        if (this.#holdsFile(file, reading.columns)) return reader.describe(reading, 'duplicate', undefined);
        const fileId = this.#nextFileId++;
        const result = reader.describe(reading, 'added', fileId);
        const { name, size, user } = file;
        const kept = { fileId, name, size, user, events: reading.events };
        const number = Math.max(0, this.#names.users.indexOf(user));
        this.#add(reading.columns, { kind: 'csv', file: kept, user: number, skipped: reading.skipped });
        return result;
      },
    };
  }

  removeFile(fileId: number): void {
    const segment = this.#segments.find(({ file }) => file?.fileId === fileId);
    if (segment) this.#remove(segment);
  }

  /** Replaces a user's live events by an answer's `events`. */
  setLive(user: string, events: readonly unknown[], now: number): LiveResult {
    this.clearLive(user);
    return this.addLive(user, events, now);
  }

  /**
   * Adds to a user's live events; of equal events the newer answer's counts. `from`: the events replace all from this
   * instant on.
   */
  addLive(user: string, events: readonly unknown[], now: number, from = Number.POSITIVE_INFINITY): LiveResult {
    const live = this.openLive(user, now);
    live.push(events);
    return live.finish(from);
  }

  /** As `addLive`, for events that come in parts; about `room` of them and of those added later. */
  openLive(user: string, now: number, room = 0): LiveImport {
    const number = this.#names.users.indexOf(user);
    const columns = new EventColumns();
    columns.reserve(room);
    let skipped = 0;
    return {
      push: (events) => {
        if (number < 0) skipped += events.length;
        else skipped += appendLiveEvents({ columns, names: this.#names, user: number }, events, now);
      },
      finish: (from = Number.POSITIVE_INFINITY) => {
        const result = { events: columns.length, skipped };
        if (number >= 0) this.#mergeLive(number, columns, skipped, from);
        return result;
      },
    };
  }

  /** The number of a user's live events. */
  liveCount(user: string): number {
    const live = this.#liveOf(user);
    return live ? live.end - live.start : 0;
  }

  clearLive(user?: string): void {
    for (const segment of this.#segments.filter(({ kind }) => kind === 'live')) {
      if (user === undefined || this.#names.users[segment.user] === user) this.#remove(segment);
    }
  }

  clear(): void {
    this.#columns = new EventColumns();
    this.#segments = [];
    this.#forget();
  }

  setMarkers(markers: readonly ProjectMarker[]): void {
    this.#markers = markers;
    this.#intervals = resolveMarkers(markers);
    this.#categories = categoriesOf(markers);
  }

  view(query: ViewQuery): View {
    return answerView(this.#inputOf(query));
  }

  table(query: TableQuery): TablePage {
    const input = this.#inputOf(query.view);
    return this.#tables.read({ ...input, rows: selectEvents(input).rows }, query);
  }

  /** The sums of an interval that is not yet a marker; `to` is exclusive. */
  coverage(
    span: { readonly user: string; readonly from: number; readonly to: number },
    query: { readonly source: SourceMode; readonly zone: string; readonly costBasis: CostBasis },
  ): Sums & { readonly overlaps: number } {
    const sums = this.#indexOf(query).sumsOf(span.user, query.costBasis, span.from, span.to);
    const overlaps = this.#intervals.filter(
      ({ marker, from, to }) =>
        from < span.to && to > span.from && (span.user === 'all' || appliesTo(marker, span.user)),
    );
    return { ...sums, overlaps: overlaps.length };
  }

  /** The selected events, oldest first, as parts of one text. */
  exportCsv(query: ViewQuery): readonly string[] {
    const input = this.#inputOf(query);
    return exportRowsAsCsv(input.index, input.intervals, query, selectEvents(input).rows);
  }

  exportJson(query: ViewQuery): readonly string[] {
    const input = this.#inputOf(query);
    return exportRowsAsJson(input.index, input.intervals, query, selectEvents(input).rows, this.#markers);
  }

  #inputOf(query: ViewQuery): ViewInput {
    const segments = this.#segmentsOf(query.source);
    return {
      index: this.#indexOf(query),
      query,
      intervals: this.#intervals,
      categories: this.#categories,
      endsNow: segments.some(({ kind }) => kind === 'live'),
      skipped: segments.reduce((sum, segment) => sum + segment.skipped, 0),
    };
  }

  #mergeLive(user: number, added: EventColumns, skipped: number, from: number): void {
    const known = this.#segments.find((segment) => segment.kind === 'live' && segment.user === user);
    const columns = known ? new EventColumns() : added;
    if (known) {
      columns.append(before(this.#columns.part(known.start, known.end), from));
      columns.append(added);
      this.#remove(known);
    }
    const kept = known ? this.#dropEqual(columns) : columns;
    this.#add(kept, { kind: 'live', file: undefined, user, skipped: skipped + (known?.skipped ?? 0) });
  }

  #liveOf(user: string): StoredSegment | undefined {
    return this.#segments.find(({ kind, user: number }) => kind === 'live' && this.#names.users[number] === user);
  }

  /** Live events by user, then files in load order. */
  #segmentsOf(source: SourceMode): readonly StoredSegment[] {
    const live = this.#segments.filter(({ kind }) => kind === 'live').sort((a, b) => a.user - b.user);
    const csv = this.#segments.filter(({ kind }) => kind === 'csv');
    return source === 'csv' ? csv : source === 'live' ? live : [...live, ...csv];
  }

  #indexOf({ source, zone: name }: { readonly source: SourceMode; readonly zone: string }): SourceIndex {
    const key = `${source} ${name}`;
    let index = this.#indexes.get(key);
    if (index) return index;
    const zone = zoneOf(name);
    if (this.#instants?.zone !== name) this.#instants = { zone: name, at: instantsIn(this.#columns, zone) };
    const { at } = this.#instants;
    // Without dates that depend on the zone, one index serves all zones.
    const twin = [...this.#indexes].find(([other, { set }]) => other.startsWith(`${source} `) && set.at === at)?.[1];
    const set = twin?.set ?? joinSegments(this.#columns, this.#names, at, this.#segmentsOf(source));
    if (this.#indexes.size >= MAX_INDEXES) this.#indexes.delete(this.#indexes.keys().next().value ?? '');
    index = new SourceIndex(this.#columns, this.#names, zone, set);
    this.#indexes.set(key, index);
    return index;
  }

  #holdsFile({ name, size }: CsvFile, columns: EventColumns): boolean {
    return this.#segments.some(
      ({ file, start, end }) =>
        file?.name === name &&
        file.size === size &&
        end - start === columns.length &&
        this.#columns.equalsAt(start, columns),
    );
  }

  #add(columns: EventColumns, of: Pick<StoredSegment, 'kind' | 'file' | 'user' | 'skipped'>): void {
    const count = columns.length;
    const coarse = isCoarse(columns, 0, count);
    let start = this.#columns.length;
    if (count > start) {
      // The larger columns take in the smaller, so that a big file is not copied.
      columns.append(this.#columns);
      this.#columns = columns;
      this.#segments = this.#segments.map((segment) => moved(segment, count));
      start = 0;
    } else this.#columns.append(columns);
    this.#segments = [...this.#segments, { ...of, start, end: start + count, isCoarse: coarse }];
    this.#forget();
  }

  #remove(removed: StoredSegment): void {
    const count = removed.end - removed.start;
    this.#columns.remove(removed.start, removed.end);
    this.#segments = this.#segments
      .filter((segment) => segment !== removed)
      .map((segment) => (segment.start >= removed.end ? moved(segment, -count) : segment));
    this.#forget();
  }

  #dropEqual(columns: EventColumns): EventColumns {
    const rows = Uint32Array.from({ length: columns.length }, (_, row) => row);
    const keys = { columns, at: columns.at, modelKeys: this.#names.modelKeys() };
    const dropped = findDuplicates(keys, rows);
    return columns.pick(rows.filter((row) => !dropped[row]));
  }

  #forget(): void {
    this.#indexes.clear();
    this.#instants = undefined;
  }
}

/** Two zones of three sources: switching back and forth costs nothing. */
const MAX_INDEXES = 6;

/** The events before an instant. */
function before(columns: EventColumns, instant: number): EventColumns {
  if (instant === Number.POSITIVE_INFINITY) return columns;
  const rows = Uint32Array.from({ length: columns.length }, (_, row) => row);
  return columns.pick(rows.filter((row) => (columns.at[row] as number) < instant));
}

function moved(segment: StoredSegment, by: number): StoredSegment {
  return { ...segment, start: segment.start + by, end: segment.end + by };
}

import type { MarkerMerge, SyncedMarkers } from '../../../src/dashboard/domain/marker/exchange.ts';
import {
  mergeMarkers,
  printMarkerStore,
  readMarkers,
  syncedOf,
  syncMarkers,
} from '../../../src/dashboard/domain/marker/exchange.ts';
import type { ProjectMarker } from '../../../src/dashboard/domain/marker/marker.ts';
import type { Clock } from '../../shared/clock.ts';
import type { FetchedMarkers, PutOutcome } from '../data/server-api.ts';
import type { SettingStorage } from '../data/settings.ts';

export const MARKERS_KEY = 'usage-markers-v1';
export const LEGACY_KEY = 'usage-event-chart-markers-v1';
export const SYNCED_KEY = 'usage-markers-synced';
/** Attempts of a save when others save at the same time. */
const TRIES = 4;

export interface MarkerServer {
  fetch(): Promise<FetchedMarkers>;
  put(
    store: { readonly version: 1; readonly markers: readonly ProjectMarker[] },
    etag: string | null,
  ): Promise<PutOutcome>;
}

export interface LocalMarkersParts {
  readonly storage: SettingStorage;
  readonly server: MarkerServer;
  readonly clock: Clock;
  readonly newId: () => string;
  /** The markers have changed. */
  onChange(): void;
  /** Undefined: the last save succeeded. */
  onSyncFailure(reason: string | undefined): void;
}

/** The editable fields of a marker. */
export type MarkerFields = Pick<ProjectMarker, 'user' | 'start' | 'end' | 'project' | 'task' | 'note'>;

/**
 * The markers of this browser, synchronised with the server. While the sample is shown, its markers are added; they are
 * never stored.
 */
export class LocalMarkers {
  readonly #parts: LocalMarkersParts;
  #markers: readonly ProjectMarker[];
  #sample: readonly ProjectMarker[] = [];
  #synced: SyncedMarkers;
  #etag: string | null = null;
  /** Saves run one after the other. */
  #saving: Promise<void> = Promise.resolve();

  constructor(parts: LocalMarkersParts) {
    this.#parts = parts;
    this.#markers = this.#load();
    const synced = readJson(parts.storage, SYNCED_KEY);
    this.#synced =
      typeof synced === 'object' && synced !== null && !Array.isArray(synced) ? (synced as SyncedMarkers) : {};
  }

  get all(): readonly ProjectMarker[] {
    return this.#sample.length > 0 ? [...this.#sample, ...this.#markers] : this.#markers;
  }

  get own(): readonly ProjectMarker[] {
    return this.#markers;
  }

  find(id: string): ProjectMarker | undefined {
    return this.all.find((marker) => marker.id === id);
  }

  isSample(id: string): boolean {
    return this.#sample.some((marker) => marker.id === id);
  }

  /** The names of projects, most used first. */
  get projects(): readonly string[] {
    const counts = new Map<string, number>();
    for (const { project } of this.all) if (project !== '') counts.set(project, (counts.get(project) ?? 0) + 1);
    return [...counts].sort(([, one], [, other]) => other - one).map(([project]) => project);
  }

  /** Shows the sample's markers; undefined removes them. */
  showSample(document: unknown): void {
    const taken = new Set(this.#markers.map(({ id }) => id));
    const read = document === undefined ? undefined : readMarkers(document, this.#parts.clock.now());
    this.#sample = (read?.markers ?? []).filter(({ id }) => !taken.has(id));
    this.#parts.onChange();
  }

  create(fields: MarkerFields): ProjectMarker {
    const now = this.#stamp();
    const marker = { id: this.#parts.newId(), ...fields, createdAt: now, updatedAt: now };
    this.#change([...this.#markers, marker]);
    return marker;
  }

  edit(id: string, fields: Partial<MarkerFields>): void {
    const update = (marker: ProjectMarker) =>
      marker.id === id ? { ...marker, ...fields, updatedAt: this.#stamp() } : marker;
    if (this.isSample(id)) this.#changeSample(this.#sample.map(update));
    else this.#change(this.#markers.map(update));
  }

  remove(id: string): void {
    const others = ({ id: other }: ProjectMarker) => other !== id;
    if (this.isSample(id)) this.#changeSample(this.#sample.filter(others));
    else this.#change(this.#markers.filter(others));
  }

  /** Restores a deleted marker. */
  restore(marker: ProjectMarker, toSample: boolean): void {
    const back = { ...marker, updatedAt: this.#stamp() };
    if (toSample) this.#changeSample([...this.#sample, back]);
    else this.#change([...this.#markers, back]);
  }

  /** The result of importing a parsed JSON; undefined if it holds no markers. */
  preview(document: unknown): (MarkerMerge & { readonly skipped: number }) | undefined {
    const read = readMarkers(document, this.#parts.clock.now());
    if (!read) return undefined;
    const merge = mergeMarkers(this.#markers, read.markers);
    return { ...merge, skipped: read.skipped.length + merge.unchanged };
  }

  adopt(merge: MarkerMerge): void {
    this.#change(merge.markers);
  }

  print(): string {
    return printMarkerStore(this.#markers);
  }

  /** Synchronises with the server. */
  sync(): Promise<void> {
    return this.#queue(() => this.#fetch());
  }

  async #fetch(): Promise<void> {
    const { store, etag } = await this.#parts.server.fetch();
    await this.#meet(store, etag);
  }

  #change(markers: readonly ProjectMarker[]): void {
    this.#keep(markers);
    this.#parts.onChange();
    void this.#queue(() => this.#put());
  }

  #changeSample(markers: readonly ProjectMarker[]): void {
    this.#sample = markers;
    this.#parts.onChange();
  }

  #queue(work: () => Promise<void>): Promise<void> {
    const run = this.#saving.then(work).then(
      () => this.#parts.onSyncFailure(undefined),
      (error: unknown) => this.#parts.onSyncFailure(error instanceof Error ? error.message : String(error)),
    );
    this.#saving = run;
    return run;
  }

  async #put(): Promise<void> {
    // The server's markers must be known before they are replaced.
    if (this.#etag === null) return this.#fetch();
    const sent = this.#markers;
    const outcome = await this.#parts.server.put({ version: 1, markers: sent }, this.#etag);
    if (outcome.status === 'failed') throw new Error(outcome.reason);
    if (outcome.status === 'conflict') return this.#meet(outcome.store, outcome.etag);
    this.#etag = outcome.etag;
    this.#remember(syncedOf(sent));
  }

  /** Merges with the server's markers until the server has stored the result. */
  async #meet(store: unknown, etag: string | null): Promise<void> {
    let theirs: unknown = store;
    this.#etag = etag;
    for (let tries = 0; tries < TRIES; tries += 1) {
      const read = readMarkers(theirs, this.#parts.clock.now());
      if (!read) throw new Error('The answer of the server holds no markers.');
      const { markers, synced, mustPut } = syncMarkers(this.#markers, read.markers, this.#synced);
      this.#keep(markers);
      this.#parts.onChange();
      if (!mustPut) return this.#remember(synced);
      const outcome = await this.#parts.server.put({ version: 1, markers }, this.#etag);
      if (outcome.status === 'failed') throw new Error(outcome.reason);
      this.#etag = outcome.etag;
      if (outcome.status === 'stored') return this.#remember(synced);
      theirs = outcome.store;
    }
    throw new Error('The markers keep being changed by others at the same time.');
  }

  #keep(markers: readonly ProjectMarker[]): void {
    this.#markers = markers;
    write(this.#parts.storage, MARKERS_KEY, { version: 1, markers });
    // With the sync record of this page: another tab's record would turn differences into deletions.
    write(this.#parts.storage, SYNCED_KEY, this.#synced);
  }

  #remember(synced: SyncedMarkers): void {
    this.#synced = synced;
    write(this.#parts.storage, SYNCED_KEY, synced);
  }

  /** Markers of an earlier version are copied once, and not removed. */
  #load(): readonly ProjectMarker[] {
    const { storage, clock } = this.#parts;
    const own = readJson(storage, MARKERS_KEY);
    const read = readMarkers(own ?? readJson(storage, LEGACY_KEY), clock.now());
    const markers = read?.markers ?? [];
    if (own === undefined) write(storage, MARKERS_KEY, { version: 1, markers });
    return markers;
  }

  #stamp(): string {
    return new Date(this.#parts.clock.now()).toISOString();
  }
}

/** Undefined for a missing or invalid value. */
function readJson(storage: SettingStorage, key: string): unknown {
  try {
    const text = storage.getItem(key);
    return text === null ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}

function write(storage: SettingStorage, key: string, value: unknown): void {
  try {
    storage.setItem(key, JSON.stringify(value));
  } catch {
    // Storage is full or forbidden: the markers are on the server, or last until the page is closed.
  }
}

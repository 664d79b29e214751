import { createHash } from 'node:crypto';
import type { Log } from '../../kernel/log.ts';
import type { EnvironmentOptions } from '../config/relay-options.ts';
import { type FlagStore, ITEM_KINDS, type ItemKind } from '../flag-store.ts';
import type { StoreDriver, StoredData, StoreWrite } from './driver.ts';
import { decodeItem, storedText } from './item.ts';
import { type KnownVersions, planReplacement, type Replacement } from './replacement.ts';

export type StoredEnvironment = Pick<EnvironmentOptions, 'sdkKey' | 'envId' | 'filter' | 'storePrefix' | 'storeTable'>;

export interface PersistentStoreParts {
  /** The data of an environment in the database. */
  readonly openDriver: (environment: StoredEnvironment) => StoreDriver;
  readonly environment: StoredEnvironment;
  /** What identifies an environment: its id if that is known, as keys change. */
  readonly identity: 'sdkKey' | 'envId';
  /** Whether what is in memory always counts, as with a file or an archive. */
  readonly isLocal: boolean;
  /** The log of the environment: its lines name it. */
  readonly log: Log;
}

/** Other writers win so often only if they do nothing else. */
const MAX_CONFLICTS = 20;

/** A stored item that is newer than that in memory. */
export type NewerItem = Replacement['newer'][number];

/**
 * Writes the memory of one environment to a database, in which other relays write too: an item never replaces a newer one of the
 * same environment.
 */
export class PersistentStore {
  readonly #parts: PersistentStoreParts;
  #environment: StoredEnvironment;
  #driver: StoreDriver;
  /** The environment in whose data newer versions count: those of another one have versions of their own. */
  #source: string;
  #known: KnownVersions | undefined;
  readonly #tooLarge = new Set<string>();

  constructor(parts: PersistentStoreParts) {
    this.#parts = parts;
    this.#environment = parts.environment;
    this.#driver = parts.openDriver(parts.environment);
    this.#source = sourceOf(parts);
  }

  /** Continues with other options; returns whether the data have another place now. */
  use(environment: StoredEnvironment): boolean {
    const before = this.#environment;
    this.#environment = environment;
    this.#source = sourceOf({ ...this.#parts, environment });
    if (before.storePrefix === environment.storePrefix && before.storeTable === environment.storeTable) return false;
    this.#driver = this.#parts.openDriver(environment);
    this.#known = undefined;
    return true;
  }

  isInitialised(): Promise<boolean> {
    return this.#driver.isInitialised();
  }

  async read(memory: FlagStore): Promise<StoredData> {
    const data = await this.#driver.read();
    this.#known = versionsOf(data, memory);
    return data;
  }

  /** Whether newer items of these data are also newer for this environment. Unknown for data that ld-relay or an SDK wrote. */
  sharesVersions({ source }: StoredData): boolean {
    return !this.#parts.isLocal && source === this.#source;
  }

  /** Makes the store equal to the memory; returns the items that are newer there and stay. */
  async replace(memory: FlagStore): Promise<readonly NewerItem[]> {
    return this.#repeat(async () => {
      const stored = await this.#driver.read();
      const rules = { keepsNewer: this.sharesVersions(stored), known: this.#known };
      const { writes, newer } = planReplacement(stored, memory, rules);
      const fitting = this.#fitting(writes);
      const isMarked = stored.isInitialised && stored.source === this.#source;
      if (fitting.length > 0 || !isMarked)
        if ((await this.#driver.write(fitting, this.#source)) === 'conflict') return undefined;
      const known = versionsOf(stored, memory);
      for (const write of fitting) note(known, write);
      this.#known = known;
      return newer;
    });
  }

  /** Stores one item of the memory; returns the stored one if that is newer. */
  async upsert(memory: FlagStore, kind: ItemKind, key: string): Promise<readonly NewerItem[]> {
    return this.#repeat(async () => {
      const { isLocal } = this.#parts;
      const version = memory.version(kind, key);
      // Also called for a patch that memory has refused as old.
      if (version === undefined || (!isLocal && this.#known?.[kind].get(key) === version)) return [];
      const before = await this.#driver.readItem(kind, key);
      const decoded = before && decodeItem(before.text);
      if (!isLocal && decoded && decoded.version >= version) {
        this.#known?.[kind].set(key, decoded.version);
        return decoded.version > version ? [{ kind, key, text: before.text }] : [];
      }
      const item = { version, text: storedText(kind, version, memory.json(kind, key)) };
      const writes = this.#fitting([{ kind, key, revision: before?.revision, item }]);
      if (writes.length > 0 && (await this.#driver.write(writes)) === 'conflict') return undefined;
      for (const write of writes) if (this.#known) note(this.#known, write);
      return [];
    });
  }

  async #repeat<T>(attempt: () => Promise<T | undefined>): Promise<T> {
    for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts++) {
      const result = await attempt();
      if (result !== undefined) return result;
    }
    throw new Error('other writers change the same items all the time');
  }

  #fitting(writes: readonly StoreWrite[]): readonly StoreWrite[] {
    const { log } = this.#parts;
    return writes.filter((write) => {
      if (this.#driver.fits(write)) return true;
      const { kind, key, item } = write;
      const id = `${kind} ${key} ${item?.version}`;
      if (!this.#tooLarge.has(id)) log.error('an item is too large for the persistent store', { kind, key });
      this.#tooLarge.add(id);
      return false;
    });
  }
}

function sourceOf({ environment, identity }: Pick<PersistentStoreParts, 'environment' | 'identity'>): string {
  return createHash('sha256')
    .update(JSON.stringify([environment[identity] ?? '', environment.filter ?? '']))
    .digest('hex')
    .slice(0, 32);
}

function versionsOf({ items }: StoredData, memory: FlagStore): KnownVersions {
  const known: KnownVersions = { flags: new Map(), segments: new Map() };
  for (const kind of ITEM_KINDS) {
    for (const [key, { text }] of items[kind]) {
      const isHeld = memory.json(kind, key) === text;
      known[kind].set(key, (isHeld ? memory.version(kind, key) : decodeItem(text)?.version) ?? 0);
    }
  }
  return known;
}

function note(known: KnownVersions, { kind, key, item }: StoreWrite): void {
  if (item) known[kind].set(key, item.version);
  else known[kind].delete(key);
}

import type { Outcome } from '../../kernel/outcome.ts';
import type { Database, Statement } from '../../kernel/storage/database.ts';
import { createMatcher, type Matcher, type MatchOperator } from '../domain/matcher/matcher.ts';
import {
  acceptMatchers,
  decideSilence,
  expireSilence,
  type PostedSilence,
  type Silence,
  silenceStateAt,
} from '../domain/silence.ts';
import { silenceSizeBytes } from '../domain/silence-size.ts';

export interface SilenceRules {
  /** How long an expired silence is kept. */
  readonly retentionMs: number;
  /** Maximum number of silences, expired ones included; 0 or less: no limit. */
  readonly maxSilences: number;
  /** Maximum size of a silence in bytes of Alertmanager's protobuf form; 0 or less: no limit. */
  readonly maxSilenceSizeBytes: number;
  readonly classicNames: boolean;
}

/** One silence before and after a commit; `before` is absent for a new one, `after` for a deleted one. */
export interface SilenceChange {
  readonly before: Silence | undefined;
  readonly after: Silence | undefined;
}

export type SilenceListener = (changes: readonly SilenceChange[]) => void;

/** A silence is one value, as JSON, which keeps texts with U+0000 whole. */
export const SILENCE_MIGRATION = 'CREATE TABLE silences (id TEXT PRIMARY KEY, silence BLOB NOT NULL)';

const UPSERT =
  'INSERT INTO silences (id, silence) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET silence = excluded.silence';

const COUNT_BYTES = 'SELECT total(length(silence)) AS bytes FROM silences';

/** The id of a posted silence, or the reason of its refusal. */
export type SetResult = Outcome<string> | { readonly ok: false; readonly reason: 'silence not found' };

interface StagedSilence {
  readonly silence: Silence;
  readonly written: Promise<void>;
}

/** All silences. A change reaches callers and listeners only when it is on disk. */
export class SilenceStore {
  readonly #database: Database;
  readonly #rules: SilenceRules;
  readonly #newId: () => string;
  readonly #silences = new Map<string, Silence>();
  /** Decided and being written: the next decision sees them, readers do not. */
  readonly #staged = new Map<string, StagedSilence>();
  readonly #listeners = new Set<SilenceListener>();
  /** The number of look-ups by id. */
  reads = 0;

  constructor(database: Database, rules: SilenceRules, newId: () => string) {
    this.#database = database;
    this.#rules = rules;
    this.#newId = newId;
  }

  /** Reads the silences on disk and returns their number. */
  async load(): Promise<number> {
    const rows = await this.#database.query('SELECT silence FROM silences');
    this.#apply(rows.map(({ silence }) => ({ before: undefined, after: decodeSilence(silence as Uint8Array) })));
    return this.#silences.size;
  }

  /** Calls the listener after every commit with its changes. Returns the function that ends the subscription. */
  subscribe(listener: SilenceListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get size(): number {
    return this.#silences.size;
  }

  get(id: string): Silence | undefined {
    this.reads++;
    return this.#silences.get(id);
  }

  all(): Iterable<Silence> {
    return this.#silences.values();
  }

  /** Creates, updates or replaces a silence; rejects when it could not be written. */
  async set(posted: PostedSilence & { readonly endsAt: number }, now: number): Promise<SetResult> {
    const known = posted.id === '' ? undefined : this.#newest(posted.id);
    if (posted.id !== '' && !known) return { ok: false, reason: 'silence not found' };
    const matchers = acceptMatchers(posted.matchers, this.#rules.classicNames);
    if (!matchers.ok) return matchers;
    const { silence, replaced } = decideSilence(posted, matchers.value, known, now, this.#newId());
    const excess = this.#findExcess(silence);
    if (excess) return { ok: false, reason: excess };
    await this.#commit(replaced ? [replaced, silence] : [silence]);
    return { ok: true, value: silence.id };
  }

  /** Stores silences as they are, in one transaction with other statements. Rejects when the write fails. */
  async adopt(silences: readonly Silence[], others: readonly Statement[]): Promise<void> {
    await this.#database.write([...silences.map(upsertOf), ...others]);
    this.#apply(silences.map((after) => ({ before: this.#silences.get(after.id), after })));
  }

  /** Expires a silence; false when there is none with that id. Rejects when the write fails. */
  async expire(id: string, now: number): Promise<boolean> {
    const known = this.#newest(id);
    if (!known) return false;
    const expired = expireSilence(known, now);
    // Another request may be expiring it: that is done only when it is on disk.
    await (expired === known ? this.#staged.get(id)?.written : this.#commit([expired]));
    return true;
  }

  /** Deletes silences whose retention has ended; returns their number. */
  async collectGarbage(now: number): Promise<number> {
    const old = [...this.#silences.values()].filter(
      ({ id, endsAt }) => endsAt + this.#rules.retentionMs <= now && !this.#staged.has(id),
    );
    if (old.length === 0) return 0;
    await this.#database.write(old.map(({ id }) => ({ sql: 'DELETE FROM silences WHERE id = ?', values: [id] })));
    this.#apply(old.map((before) => ({ before, after: undefined })));
    return old.length;
  }

  /** The size of the silences on disk, in bytes. */
  async countBytes(): Promise<number> {
    const [row] = await this.#database.query(COUNT_BYTES);
    return Number(row?.bytes ?? 0);
  }

  #newest(id: string): Silence | undefined {
    return this.#staged.get(id)?.silence ?? this.#silences.get(id);
  }

  #findExcess(silence: Silence): string | undefined {
    const { maxSilences, maxSilenceSizeBytes, retentionMs } = this.#rules;
    const isNew = !this.#newest(silence.id);
    if (isNew && maxSilences > 0) {
      const created = [...this.#staged.keys()].filter((id) => !this.#silences.has(id)).length;
      const count = this.#silences.size + created;
      if (count + 1 > maxSilences) return `exceeded maximum number of silences: ${count} (limit: ${maxSilences})`;
    }
    const size = maxSilenceSizeBytes > 0 ? silenceSizeBytes(silence, retentionMs) : 0;
    return size > maxSilenceSizeBytes
      ? `silence exceeded maximum size: ${size} bytes (limit: ${maxSilenceSizeBytes} bytes)`
      : undefined;
  }

  async #commit(silences: readonly Silence[]): Promise<void> {
    const written = this.#database.write(silences.map(upsertOf));
    for (const silence of silences) this.#staged.set(silence.id, { silence, written });
    try {
      await written;
    } finally {
      for (const { id } of silences) if (this.#staged.get(id)?.written === written) this.#staged.delete(id);
    }
    this.#apply(silences.map((after) => ({ before: this.#silences.get(after.id), after })));
  }

  #apply(changes: readonly SilenceChange[]): void {
    for (const { before, after } of changes) {
      if (after) this.#silences.set(after.id, after);
      else if (before) this.#silences.delete(before.id);
    }
    for (const listener of this.#listeners) listener(changes);
  }
}

/** The matchers without their compiled form. */
type StoredSilence = Omit<Silence, 'matchers'> & { readonly matchers: readonly [string, MatchOperator, string][] };

function upsertOf(silence: Silence): Statement {
  const matchers = silence.matchers.map(({ name, operator, value }) => [name, operator, value]);
  return { sql: UPSERT, values: [silence.id, Buffer.from(JSON.stringify({ ...silence, matchers }))] };
}

function decodeSilence(bytes: Uint8Array): Silence {
  const stored = JSON.parse(Buffer.from(bytes).toString()) as StoredSilence;
  return { ...stored, matchers: stored.matchers.map((matcher) => restoreMatcher(...matcher)) };
}

function restoreMatcher(name: string, operator: MatchOperator, value: string): Matcher {
  const matcher = createMatcher(name, operator, value);
  if (!matcher.ok) throw new Error(`a stored silence has a bad matcher on ${name}: ${matcher.reason}`);
  return matcher.value;
}

/** The number of silences in each state. */
export function countSilenceStates(
  silences: Iterable<Silence>,
  now: number,
): Record<'pending' | 'active' | 'expired', number> {
  const counts = { pending: 0, active: 0, expired: 0 };
  for (const silence of silences) counts[silenceStateAt(silence, now)]++;
  return counts;
}

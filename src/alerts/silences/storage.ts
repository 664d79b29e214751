import type { Database, Statement } from '../../kernel/storage/database.ts';
import { createMatcher, type Matcher, type MatchOperator } from '../domain/matcher/matcher.ts';
import type { Silence } from '../domain/silence.ts';

/** One silence before and after a commit; `before` is absent for a new one, `after` for a deleted one. */
export interface SilenceChange {
  readonly before: Silence | undefined;
  readonly after: Silence | undefined;
}

/** The end of a write. */
export interface SilenceWrite {
  /** False: nothing is written, as another node has changed one of the silences meanwhile. */
  readonly isWritten: boolean;
  /** What memory does not have yet: the written changes, or those of the other node. */
  readonly changes: readonly SilenceChange[];
}

/** Where silences lie. */
export interface SilenceStorage {
  load(): Promise<readonly Silence[]>;
  /**
   * Looks up a silence that another node may have written since the load; false if there is none. `take` is called in the turn in
   * which it counts as known; `isNews`: it was not known as that.
   */
  find(id: string, take: (found: Silence, isNews: boolean) => void): Promise<boolean>;
  /** Writes the changes together, or none of them. Rejects when it is unknown whether they are written. */
  write(changes: readonly SilenceChange[]): Promise<SilenceWrite>;
  delete(silences: readonly Silence[]): Promise<void>;
  /** The size of the silences, in bytes. */
  countBytes(): Promise<number>;
}

/** A silence is one value, as JSON, which keeps texts with U+0000 whole. */
export const SILENCE_MIGRATION = 'CREATE TABLE silences (id TEXT PRIMARY KEY, silence BLOB NOT NULL)';

const UPSERT =
  'INSERT INTO silences (id, silence) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET silence = excluded.silence';

const COUNT_BYTES = 'SELECT total(length(silence)) AS bytes FROM silences';

/** Silences in the data directory, which no other node uses. */
export class LocalSilences implements SilenceStorage {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async load(): Promise<readonly Silence[]> {
    const rows = await this.#database.query('SELECT silence FROM silences');
    return rows.map(({ silence }) => decodeSilence(Buffer.from(silence as Uint8Array).toString()));
  }

  async find(): Promise<boolean> {
    return false;
  }

  async write(changes: readonly SilenceChange[]): Promise<SilenceWrite> {
    await this.#database.write(changes.flatMap(({ after }) => (after ? upsertOf(after) : [])));
    return { isWritten: true, changes };
  }

  async delete(silences: readonly Silence[]): Promise<void> {
    await this.#database.write(silences.map(({ id }) => ({ sql: 'DELETE FROM silences WHERE id = ?', values: [id] })));
  }

  async countBytes(): Promise<number> {
    const [row] = await this.#database.query(COUNT_BYTES);
    return Number(row?.bytes ?? 0);
  }
}

/** The statement that stores a silence in the data directory. */
export function upsertOf(silence: Silence): Statement {
  return { sql: UPSERT, values: [silence.id, Buffer.from(encodeSilence(silence))] };
}

/** The matchers without their compiled form. */
type StoredSilence = Omit<Silence, 'matchers'> & { readonly matchers: readonly [string, MatchOperator, string][] };

export function encodeSilence(silence: Silence): string {
  const matchers = silence.matchers.map(({ name, operator, value }) => [name, operator, value]);
  return JSON.stringify({ ...silence, matchers });
}

export function decodeSilence(text: string): Silence {
  const stored = JSON.parse(text) as StoredSilence;
  return { ...stored, matchers: stored.matchers.map((matcher) => restoreMatcher(...matcher)) };
}

function restoreMatcher(name: string, operator: MatchOperator, value: string): Matcher {
  const matcher = createMatcher(name, operator, value);
  if (!matcher.ok) throw new Error(`a stored silence has a bad matcher on ${name}: ${matcher.reason}`);
  return matcher.value;
}

import { Batches } from '../../kernel/batches.ts';
import type { Postgres } from '../../kernel/postgres/postgres.ts';
import type { Silence } from '../domain/silence.ts';
import {
  decodeSilence,
  encodeSilence,
  type SilenceChange,
  type SilenceStorage,
  type SilenceWrite,
} from '../silences/storage.ts';
import { LOAD } from './load.ts';

/** A silence as it is stored; the revision grows with each change. */
interface StoredSilence {
  readonly id: string;
  readonly revision: number;
  readonly body: string;
}

/** One row of a write. */
interface Row {
  readonly id: string;
  /** 0: the silence is new. */
  readonly revision: number;
  readonly body: string;
  /** Written only together with this silence. */
  readonly after: string | null;
}

/**
 * An update succeeds only on the revision on which it was decided; a successor is written only with its predecessor. One
 * statement, so that a suspended node holds no lock.
 */
const WRITE = `
  WITH input AS (
    SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[]) AS t (id, revision, body, after)
  ), locked AS (
    SELECT s.id, s.revision FROM opsdeck.silence s JOIN input i ON i.id = s.id ORDER BY s.id FOR UPDATE OF s
  ), updated AS (
    UPDATE opsdeck.silence s SET revision = s.revision + 1, body = i.body
    FROM input i JOIN locked l ON l.id = i.id AND l.revision = i.revision WHERE s.id = i.id
    RETURNING s.id, s.revision, s.body
  ), inserted AS (
    INSERT INTO opsdeck.silence (id, revision, body)
    SELECT id, 1, body FROM input WHERE revision = 0 AND (after IS NULL OR after IN (SELECT id FROM updated))
    ON CONFLICT (id) DO NOTHING RETURNING id, revision, body
  ), written AS (SELECT * FROM updated UNION ALL SELECT * FROM inserted)
  SELECT array_agg(id) AS ids,
    opsdeck.log_changes(array_agg('silence'::text), array_agg(id), array_agg(revision || ' ' || body)) FROM written`;
const READ_ALL = 'SELECT id, revision, body FROM opsdeck.silence';
const FIND = 'SELECT id, revision, body FROM opsdeck.silence WHERE id = ANY ($1::text[])';

const COUNT_BYTES = 'SELECT sum(length(body))::bigint AS bytes FROM opsdeck.silence';

/** Maximum number of changes in one statement. */
const MAX_BATCH = 200;

/** Silences in PostgreSQL: decided on what is committed there, by whichever node. */
export class ClusterSilences implements SilenceStorage {
  readonly #postgres: Postgres;
  /** Of every silence in memory. */
  readonly #revisions = new Map<string, number>();
  readonly #writes: Batches<readonly Row[], boolean>;

  constructor(postgres: Postgres) {
    this.#postgres = postgres;
    this.#writes = new Batches((batch) => this.#writeAll(batch), MAX_BATCH);
  }

  async load(): Promise<readonly Silence[]> {
    const rows = await this.#postgres.query<StoredSilence>(READ_ALL, [], LOAD);
    this.#revisions.clear();
    return rows.map((row) => this.#take(row));
  }

  async find(id: string, take: (found: Silence, isNews: boolean) => void): Promise<boolean> {
    const [row] = await this.#postgres.query<StoredSilence>(FIND, [[id]]);
    if (row) take(decodeSilence(row.body), this.#note(row.id, row.revision));
    return row !== undefined;
  }

  async write(changes: readonly SilenceChange[]): Promise<SilenceWrite> {
    const rows = changes.flatMap(({ before, after }) => (after ? this.#rowOf(before, after) : []));
    const [first, second] = rows;
    // The replaced silence stands first.
    const linked = first && second ? [first, { ...second, after: first.id }] : rows;
    if (await this.#writes.add(linked)) {
      // The feed may have brought a later change meanwhile.
      const isNews = rows.map(({ id, revision }) => this.#note(id, revision + 1));
      return { isWritten: true, changes: changes.filter((_, index) => isNews[index]) };
    }
    const known = changes.flatMap(({ before }) => before ?? []);
    const rowsNow = await this.#postgres.query<StoredSilence>(FIND, [known.map(({ id }) => id)]);
    const found = new Map(rowsNow.map((row) => [row.id, row]));
    const news = known.flatMap((before) => {
      const row = found.get(before.id);
      // As above.
      if (row && !this.#note(row.id, row.revision)) return [];
      return { before, after: row && decodeSilence(row.body) };
    });
    return { isWritten: false, changes: news };
  }

  async delete(silences: readonly Silence[]): Promise<void> {
    const ids = silences.map(({ id }) => id);
    const revisions = ids.map((id) => this.#revisions.get(id) ?? 0);
    await this.#postgres.query(
      `DELETE FROM opsdeck.silence s USING unnest($1::text[], $2::bigint[]) AS old (id, revision)
       WHERE s.id = old.id AND s.revision = old.revision`,
      [ids, revisions],
    );
    for (const id of ids) this.#revisions.delete(id);
  }

  async countBytes(): Promise<number> {
    const [row] = await this.#postgres.query(COUNT_BYTES);
    return Number(row?.bytes ?? 0);
  }

  /** Reads a logged change; undefined when memory has it already. */
  receive(id: string, text: string): Silence | undefined {
    const space = text.indexOf(' ');
    const row = { id, revision: Number(text.slice(0, space)), body: text.slice(space + 1) };
    return this.#note(id, row.revision) ? decodeSilence(row.body) : undefined;
  }

  /** Stores silences that PostgreSQL has lost in a failover. */
  async restore(silences: readonly Silence[]): Promise<void> {
    const rows = silences.map((silence) => ({ ...this.#rowOf(undefined, silence), after: null }));
    await Promise.all(rows.map((row) => this.#writes.add([row])));
    for (const { id } of rows) this.#revisions.set(id, 1);
  }

  /** Stores those that are new or younger than what PostgreSQL has; returns their number. */
  async import(silences: readonly Silence[]): Promise<number> {
    const known = new Map((await this.load()).map((silence) => [silence.id, silence]));
    const rows = silences.flatMap((silence) => {
      const before = known.get(silence.id);
      return before && before.updatedAt >= silence.updatedAt ? [] : this.#rowOf(before, silence);
    });
    let written = 0;
    for (let start = 0; start < rows.length; start += MAX_BATCH) {
      const some = rows.slice(start, start + MAX_BATCH);
      // False where a node was faster.
      written += (await this.#writeAll(some.map((row) => [row]))).filter(Boolean).length;
    }
    return written;
  }

  /** Whether memory does not have that revision yet. */
  #note(id: string, revision: number): boolean {
    const isNews = revision > (this.#revisions.get(id) ?? 0);
    if (isNews) this.#revisions.set(id, revision);
    return isNews;
  }

  #take(row: StoredSilence): Silence {
    const silence = decodeSilence(row.body);
    this.#revisions.set(row.id, row.revision);
    return silence;
  }

  #rowOf(before: Silence | undefined, after: Silence): Row {
    const revision = before ? (this.#revisions.get(before.id) ?? 0) : 0;
    return { id: after.id, revision, body: encodeSilence(after), after: null };
  }

  async #writeAll(batch: readonly (readonly Row[])[]): Promise<readonly boolean[]> {
    const taken = new Set<string>();
    // Of two changes of one silence in a batch the later was decided on an old revision.
    const isFirst = batch.map((some) => {
      if (some.some(({ id }) => taken.has(id))) return false;
      for (const { id } of some) taken.add(id);
      return true;
    });
    const rows = batch.filter((_, index) => isFirst[index]).flat();
    const [result] = await this.#postgres.query<{ readonly ids: readonly string[] | null }>(WRITE, [
      rows.map(({ id }) => id),
      rows.map(({ revision }) => revision),
      rows.map(({ body }) => body),
      rows.map(({ after }) => after),
    ]);
    const written = new Set(result?.ids);
    return batch.map((some, index) => isFirst[index] === true && some.every(({ id }) => written.has(id)));
  }
}

import type { Outcome } from '../../kernel/outcome.ts';
import {
  acceptMatchers,
  decideSilence,
  expireSilence,
  type PostedSilence,
  type Silence,
  silenceStateAt,
} from '../domain/silence.ts';
import { silenceSizeBytes } from '../domain/silence-size.ts';
import type { SilenceChange, SilenceStorage } from './storage.ts';

export interface SilenceRules {
  /** How long an expired silence is kept. */
  readonly retentionMs: number;
  /** Maximum number of silences, expired ones included; 0 or less: no limit. */
  readonly maxSilences: number;
  /** Maximum size of a silence in bytes of Alertmanager's protobuf form; 0 or less: no limit. */
  readonly maxSilenceSizeBytes: number;
  readonly classicNames: boolean;
}

export type SilenceListener = (changes: readonly SilenceChange[]) => void;

/** The id of a posted silence, or the reason of its refusal. */
export type SetResult = Outcome<string> | { readonly ok: false; readonly reason: 'silence not found' };

/** How often a change is decided again because another node has changed the silence meanwhile. */
const MAX_DECISIONS = 50;

/** All silences. A change reaches callers and listeners only when it is committed. */
export class SilenceStore {
  readonly #storage: SilenceStorage;
  readonly #rules: SilenceRules;
  readonly #newId: () => string;
  readonly #silences = new Map<string, Silence>();
  /** The running write of each silence; a later decision about it waits. */
  readonly #writing = new Map<string, Promise<unknown>>();
  readonly #listeners = new Set<SilenceListener>();
  /** Called with a silence that was created or updated here; not with what other nodes decided. */
  decided: ((silence: Silence, isUpdate: boolean) => void) | undefined;
  /** The number of look-ups by id. */
  reads = 0;

  constructor(storage: SilenceStorage, rules: SilenceRules, newId: () => string) {
    this.#storage = storage;
    this.#rules = rules;
    this.#newId = newId;
  }

  /** Reads the stored silences and returns their number. */
  async load(): Promise<number> {
    this.apply((await this.#storage.load()).map((after) => ({ before: undefined, after })));
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

  /** As `get`, without counting. */
  find(id: string): Silence | undefined {
    return this.#silences.get(id);
  }

  all(): Iterable<Silence> {
    return this.#silences.values();
  }

  /** Creates, updates or replaces a silence; rejects when it could not be written. */
  async set(posted: PostedSilence & { readonly endsAt: number }, now: number): Promise<SetResult> {
    for (let decision = 0; decision < MAX_DECISIONS; decision++) {
      while (posted.id !== '' && !this.#isSettled(posted.id)) {
        if (!(await this.#settle(posted.id))) return { ok: false, reason: 'silence not found' };
      }
      const known = this.#silences.get(posted.id);
      const matchers = acceptMatchers(posted.matchers, this.#rules.classicNames);
      if (!matchers.ok) return matchers;
      // It may have been expired after this request came, or by a node whose clock is ahead.
      const at = known && known.endsAt <= known.updatedAt ? Math.max(now, known.endsAt) : now;
      const { silence, replaced } = decideSilence(posted, matchers.value, known, at, this.#newId());
      const excess = this.#findExcess(silence);
      if (excess) return { ok: false, reason: excess };
      const isUpdate = silence.id === known?.id;
      const changes: SilenceChange[] = [{ before: isUpdate ? known : undefined, after: silence }];
      if (replaced) changes.unshift({ before: known, after: replaced });
      if (!(await this.#commit(changes))) continue;
      this.decided?.(silence, isUpdate);
      return { ok: true, value: silence.id };
    }
    throw new Error('other nodes change this silence again and again');
  }

  /** Expires a silence; false for an unknown id. Rejects when the write fails. */
  expire(id: string, now: number): Promise<boolean> {
    return this.change(id, (known) => expireSilence(known, now));
  }

  /**
   * Changes a silence in place; false for an unknown id. `decide` sees its newest version, also that of another node, and
   * returns the same object to change nothing. Rejects when the write fails.
   */
  async change(id: string, decide: (known: Silence) => Silence): Promise<boolean> {
    for (let decision = 0; decision < MAX_DECISIONS; decision++) {
      while (!this.#isSettled(id)) if (!(await this.#settle(id))) return false;
      const known = this.#silences.get(id) as Silence;
      const after = decide(known);
      if (after === known || (await this.#commit([{ before: known, after }]))) return true;
    }
    throw new Error('other nodes change this silence again and again');
  }

  /** Deletes silences whose retention has ended; returns their number. */
  async collectGarbage(now: number): Promise<number> {
    const old = [...this.#silences.values()].filter(
      ({ id, endsAt }) => endsAt + this.#rules.retentionMs <= now && !this.#writing.has(id),
    );
    if (old.length === 0) return 0;
    await this.#storage.delete(old);
    this.apply(old.map((before) => ({ before, after: undefined })));
    return old.length;
  }

  /** The size of the stored silences, in bytes. */
  countBytes(): Promise<number> {
    return this.#storage.countBytes();
  }

  /** Takes over what is stored already. */
  apply(changes: readonly SilenceChange[]): void {
    for (const { before, after } of changes) {
      if (after) this.#silences.set(after.id, after);
      else if (before) this.#silences.delete(before.id);
    }
    for (const listener of this.#listeners) listener(changes);
  }

  /** Whether the silence is in memory and no write of it is running. Decide and write in the same turn. */
  #isSettled(id: string): boolean {
    return !this.#writing.has(id) && this.#silences.has(id);
  }

  /** Waits for the running write of a silence, or looks it up in the storage; false for an unknown silence. */
  async #settle(id: string): Promise<boolean> {
    const writing = this.#writing.get(id);
    if (writing) {
      // Its own caller handles the error.
      await writing.catch(() => {});
      return true;
    }
    return this.#storage.find(id, (after, isNews) => {
      const before = this.#silences.get(id);
      // Another node's change may have come meanwhile, and be older or newer.
      if (isNews || !before) this.apply([{ before, after }]);
    });
  }

  #findExcess(silence: Silence): string | undefined {
    const { maxSilences, maxSilenceSizeBytes, retentionMs } = this.#rules;
    const isNew = !this.#silences.has(silence.id);
    if (isNew && maxSilences > 0) {
      const created = [...this.#writing.keys()].filter((id) => !this.#silences.has(id)).length;
      const count = this.#silences.size + created;
      if (count + 1 > maxSilences) return `exceeded maximum number of silences: ${count} (limit: ${maxSilences})`;
    }
    const size = maxSilenceSizeBytes > 0 ? silenceSizeBytes(silence, retentionMs) : 0;
    return size > maxSilenceSizeBytes
      ? `silence exceeded maximum size: ${size} bytes (limit: ${maxSilenceSizeBytes} bytes)`
      : undefined;
  }

  /** False: nothing is written, as another node has changed one of them; its change is applied. */
  async #commit(changes: readonly SilenceChange[]): Promise<boolean> {
    const writing = this.#storage.write(changes);
    const ids = changes.flatMap(({ after }) => after?.id ?? []);
    for (const id of ids) this.#writing.set(id, writing);
    try {
      const { isWritten, changes: news } = await writing;
      this.apply(news);
      return isWritten;
    } finally {
      for (const id of ids) this.#writing.delete(id);
    }
  }
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

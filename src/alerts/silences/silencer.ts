import { hasFollowingEnd } from '../domain/acknowledgement.ts';
import type { LabelSet } from '../domain/label-set.ts';
import { MatcherIndex } from '../domain/matcher/index.ts';
import { type Silence, type SilenceState, silenceStateAt } from '../domain/silence.ts';
import type { SilenceChange } from './storage.ts';

/** What the silencer needs of an alert. */
export interface Silenceable {
  readonly fingerprint: string;
  readonly labels: LabelSet;
}

const NOBODY: readonly string[] = [];

/**
 * Keeps which active silences match which alerts. Matching happens when an alert is new or a silence changes, begins or
 * ends; a query is one look-up. Callers call `settle` first, so that silences begin and end on the millisecond without a
 * timer.
 */
export class Silencer {
  readonly #active = new MatcherIndex<Silence>();
  readonly #activeById = new Map<string, Silence>();
  /** Pending silences. */
  readonly #pending = new Map<string, Silence>();
  /** Expired silences: a clock that is put back makes them active again. */
  readonly #ended = new Map<string, Silence>();
  /** Sorted ids, for silenced alerts only. */
  readonly #silencedBy = new Map<string, readonly string[]>();
  readonly #fingerprints = new Map<string, Set<string>>();
  readonly #alerts: () => Iterable<Silenceable>;
  readonly #changed: (fingerprint: string) => void;
  /** Between these instants no silence begins or ends; the interval may be too short when a silence was changed. */
  #lastChangeAt = Number.NEGATIVE_INFINITY;
  #nextChangeAt = Number.POSITIVE_INFINITY;

  /** `alerts` lists all alerts; `changed` is called for those whose silences have changed. */
  constructor(alerts: () => Iterable<Silenceable>, changed: (fingerprint: string) => void = () => {}) {
    this.#alerts = alerts;
    this.#changed = changed;
  }

  /** The number of active silences. */
  get activeCount(): number {
    return this.#activeById.size;
  }

  /** Ids of the active silences that match the alert, sorted. */
  silencedBy(fingerprint: string): readonly string[] {
    // Usually nothing is silenced, and listings query every alert.
    return this.#silencedBy.size === 0 ? NOBODY : (this.#silencedBy.get(fingerprint) ?? NOBODY);
  }

  /** Whether the end of the alert is silenced too; silences that end with it do not silence that. */
  isEndSilenced(fingerprint: string): boolean {
    return this.silencedBy(fingerprint).some((id) => !hasFollowingEnd(this.#activeById.get(id) as Silence));
  }

  /** Ids of the active silences that match these labels. */
  matching(labels: LabelSet): readonly string[] {
    return [...this.#active.matching(labels)].map(({ id }) => id).sort();
  }

  /** Fingerprints of the alerts, resolved ones too, that an active silence matches. */
  silencedWith(id: string): Iterable<string> {
    return this.#fingerprints.get(id) ?? NOBODY;
  }

  /** Adds a new alert. Labels never change: a repeated post needs no new matching. */
  addAlert({ fingerprint, labels }: Silenceable): void {
    for (const silence of this.#active.matching(labels)) this.#mark(fingerprint, silence.id);
  }

  removeAlert({ fingerprint }: Silenceable): void {
    for (const id of this.silencedBy(fingerprint)) this.#fingerprints.get(id)?.delete(fingerprint);
    this.#silencedBy.delete(fingerprint);
  }

  /** Applies the changes of a commit. */
  changeSilences(changes: readonly SilenceChange[], now: number): void {
    const begun: Silence[] = [];
    for (const { before, after } of changes) {
      if (before) this.#forget(before.id);
      if (after) this.#place(after, now, begun);
    }
    this.#begin(begun);
  }

  /** Begins and ends silences that are due. */
  settle(now: number): void {
    if (this.#lastChangeAt <= now && now < this.#nextChangeAt) return;
    const moved = [...this.#all()].filter(([state, silence]) => silenceStateAt(silence, now) !== state);
    const begun: Silence[] = [];
    for (const [, { id }] of moved) this.#forget(id);
    this.#lastChangeAt = Number.NEGATIVE_INFINITY;
    this.#nextChangeAt = Number.POSITIVE_INFINITY;
    for (const [, silence] of moved) this.#place(silence, now, begun);
    this.#begin(begun);
    for (const [, silence] of this.#all()) this.#narrow(silence, now);
  }

  *#all(): Iterable<readonly [SilenceState, Silence]> {
    for (const silence of this.#activeById.values()) yield ['active', silence];
    for (const silence of this.#pending.values()) yield ['pending', silence];
    for (const silence of this.#ended.values()) yield ['expired', silence];
  }

  #place(silence: Silence, now: number, begun: Silence[]): void {
    const state = silenceStateAt(silence, now);
    if (state === 'active') begun.push(silence);
    else (state === 'pending' ? this.#pending : this.#ended).set(silence.id, silence);
    this.#narrow(silence, now);
  }

  #narrow({ startsAt, endsAt }: Silence, now: number): void {
    for (const at of [startsAt, endsAt]) {
      if (at > now) this.#nextChangeAt = Math.min(this.#nextChangeAt, at);
      else this.#lastChangeAt = Math.max(this.#lastChangeAt, at);
    }
  }

  /** One pass over the alerts for all silences that begin together. */
  #begin(silences: readonly Silence[]): void {
    if (silences.length === 0) return;
    for (const silence of silences) {
      this.#active.add(silence);
      this.#activeById.set(silence.id, silence);
    }
    const begun = new MatcherIndex(silences);
    for (const { fingerprint, labels } of this.#alerts()) {
      for (const { id } of begun.matching(labels)) this.#mark(fingerprint, id);
    }
  }

  #forget(id: string): void {
    this.#pending.delete(id);
    this.#ended.delete(id);
    const silence = this.#activeById.get(id);
    if (!silence) return;
    this.#activeById.delete(id);
    this.#active.delete(silence);
    for (const fingerprint of this.#fingerprints.get(id) ?? []) {
      const others = this.silencedBy(fingerprint).filter((other) => other !== id);
      if (others.length > 0) this.#silencedBy.set(fingerprint, others);
      else this.#silencedBy.delete(fingerprint);
      this.#changed(fingerprint);
    }
    this.#fingerprints.delete(id);
  }

  #mark(fingerprint: string, id: string): void {
    const known = this.#silencedBy.get(fingerprint);
    this.#silencedBy.set(fingerprint, known ? [...known, id].sort() : [id]);
    this.#changed(fingerprint);
    const fingerprints = this.#fingerprints.get(id);
    if (fingerprints) fingerprints.add(fingerprint);
    else this.#fingerprints.set(id, new Set([fingerprint]));
  }
}

import type { LabelSet } from '../domain/label-set.ts';
import { MatcherIndex } from '../domain/matcher-index.ts';
import { type Silence, type SilenceState, silenceStateAt } from '../domain/silence.ts';
import type { SilenceChange } from './silence-store.ts';

/** What the silencer has to know of an alert. */
export interface Silenceable {
  readonly fingerprint: string;
  readonly labels: LabelSet;
}

const NOBODY: readonly string[] = [];

/**
 * Knows at any moment which active silences match which alerts. The work is done when an alert is new, or a silence
 * changes or comes into its time; asking is one look-up. Whoever asks calls `settle` first, so that no timer is needed
 * for a silence to begin or end on the millisecond.
 */
export class Silencer {
  readonly #active = new MatcherIndex<Silence>();
  readonly #activeById = new Map<string, Silence>();
  /** Silences that have still to begin. */
  readonly #pending = new Map<string, Silence>();
  /** Silences that are over, which a clock that is put back brings into their time again. */
  readonly #ended = new Map<string, Silence>();
  /** Ids in order, for silenced alerts alone. */
  readonly #silencedBy = new Map<string, readonly string[]>();
  readonly #fingerprints = new Map<string, Set<string>>();
  readonly #alerts: () => Iterable<Silenceable>;
  readonly #changed: (fingerprint: string) => void;
  /** From the one moment until the other no silence begins or ends; they may be too near, when a silence was ended or moved. */
  #lastChangeAt = Number.NEGATIVE_INFINITY;
  #nextChangeAt = Number.POSITIVE_INFINITY;

  /** `alerts` lists every alert that is held; `changed` is told of those that other silences match from now on. */
  constructor(alerts: () => Iterable<Silenceable>, changed: (fingerprint: string) => void = () => {}) {
    this.#alerts = alerts;
    this.#changed = changed;
  }

  /** How many silences are in force. */
  get activeCount(): number {
    return this.#activeById.size;
  }

  /** Ids of the active silences that match the alert, sorted. */
  silencedBy(fingerprint: string): readonly string[] {
    // Most of the time nothing is silenced, and listings ask for every alert.
    return this.#silencedBy.size === 0 ? NOBODY : (this.#silencedBy.get(fingerprint) ?? NOBODY);
  }

  /** Ids of the active silences that match these labels, whoever has them. */
  matching(labels: LabelSet): readonly string[] {
    return [...this.#active.matching(labels)].map(({ id }) => id).sort();
  }

  /** Fingerprints of the alerts, resolved ones too, that an active silence matches. */
  silencedWith(id: string): Iterable<string> {
    return this.#fingerprints.get(id) ?? NOBODY;
  }

  /** Takes up a new alert. Its labels never change: an alert that is posted again needs no new look. */
  addAlert({ fingerprint, labels }: Silenceable): void {
    for (const silence of this.#active.matching(labels)) this.#mark(fingerprint, silence.id);
  }

  removeAlert({ fingerprint }: Silenceable): void {
    for (const id of this.silencedBy(fingerprint)) this.#fingerprints.get(id)?.delete(fingerprint);
    this.#silencedBy.delete(fingerprint);
  }

  /** Takes up what a commit changed. */
  changeSilences(changes: readonly SilenceChange[], now: number): void {
    const begun: Silence[] = [];
    for (const { before, after } of changes) {
      if (before) this.#forget(before.id);
      if (after) this.#place(after, now, begun);
    }
    this.#begin(begun);
  }

  /** Lets silences begin and end whose time has come. */
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

import type { LabelSet } from '../domain/label-set.ts';
import { MatcherIndex } from '../domain/matcher-index.ts';
import { type Silence, silenceStateAt } from '../domain/silence.ts';
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
  /** Ids in order, for silenced alerts alone. */
  readonly #silencedBy = new Map<string, readonly string[]>();
  readonly #fingerprints = new Map<string, Set<string>>();
  readonly #alerts: () => Iterable<Silenceable>;
  readonly #changed: (fingerprint: string) => void;
  /** No silence begins or ends before it; it may be too early, when a silence was ended or moved. */
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
    if (now < this.#nextChangeAt) return;
    for (const silence of this.#activeById.values()) if (silence.endsAt <= now) this.#forget(silence.id);
    const begun: Silence[] = [];
    for (const silence of [...this.#pending.values()]) {
      if (silence.startsAt > now) continue;
      this.#pending.delete(silence.id);
      this.#place(silence, now, begun);
    }
    this.#begin(begun);
    this.#nextChangeAt = this.#findNextChange();
  }

  #place(silence: Silence, now: number, begun: Silence[]): void {
    const state = silenceStateAt(silence, now);
    if (state === 'expired') return;
    if (state === 'pending') this.#pending.set(silence.id, silence);
    else begun.push(silence);
    this.#nextChangeAt = Math.min(this.#nextChangeAt, state === 'pending' ? silence.startsAt : silence.endsAt);
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

  #findNextChange(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { endsAt } of this.#activeById.values()) next = Math.min(next, endsAt);
    for (const { startsAt } of this.#pending.values()) next = Math.min(next, startsAt);
    return next;
  }
}

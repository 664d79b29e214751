import { equalKey, type InhibitionRule } from '../domain/inhibition.ts';
import type { LabelSet } from '../domain/label-set.ts';
import { MatcherIndex, matchesAll } from '../domain/matcher/index.ts';
import type { AlertSlot } from '../store/slot.ts';

/** The sources of one rule that agree in its `equal` labels. */
interface Sources {
  readonly rule: PreparedRule;
  readonly key: string;
  /** Sources that are no targets of the rule: they inhibit every target. */
  readonly pure: FiringSources;
  /** Sources that are targets too: they inhibit only targets that are no sources, or two could inhibit each other. */
  readonly twofold: FiringSources;
  /** The number of sources and targets. */
  alerts: number;
}

/** Sources that may fire. A resolved one is removed at the next query and added again when it is posted. */
type FiringSources = Set<AlertSlot>;

/** Where an alert is a source. */
interface SourcePlace {
  readonly sources: Sources;
  readonly firing: FiringSources;
}

interface PreparedRule {
  readonly rule: InhibitionRule;
  readonly place: number;
  readonly byKey: Map<string, Sources>;
}

/** One side of a rule, as an item of the matcher index. */
interface Side {
  readonly matchers: InhibitionRule['sourceMatchers'];
  readonly prepared: PreparedRule;
}

/** A target's sources under one rule. */
interface Question {
  readonly sources: Sources;
  /** The target is a source of the rule as well. */
  readonly isSourceToo: boolean;
}

/** What inhibits an alert. */
export interface Inhibition {
  readonly rule: InhibitionRule;
  /** The rule's place in the configuration, from 0. */
  readonly place: number;
  readonly source: AlertSlot;
}

const NOBODY: readonly string[] = [];

/**
 * Keeps for every alert the sources that could inhibit it. Matching happens when an alert is new; a query only looks for a
 * source that still fires. All sources count; in Alertmanager only the one that ends last.
 */
export class Inhibitor {
  #rules: readonly PreparedRule[] = [];
  #sourceSides = new MatcherIndex<Side>();
  #targetSides = new MatcherIndex<Side>();
  /** Only alerts that are a source or target of some rule. */
  readonly #placesOf = new Map<AlertSlot, readonly SourcePlace[]>();
  readonly #questionsOf = new Map<AlertSlot, readonly Question[]>();
  /** Counts the changes of the sources that may fire. */
  #version = 0;
  /** No source ends before it; it may be too early when a source was posted again. Epoch milliseconds. */
  #nextEndAt = Number.POSITIVE_INFINITY;

  constructor(rules: readonly InhibitionRule[]) {
    this.#prepare(rules);
  }

  /** The number of source sets. */
  get keyCount(): number {
    return this.#rules.reduce((sum, { byKey }) => sum + byKey.size, 0);
  }

  /** Removes resolved sources. Returns the change counter: while it stays the same, so does every query. */
  settle(now: number): number {
    if (now < this.#nextEndAt) return this.#version;
    this.#nextEndAt = Number.POSITIVE_INFINITY;
    for (const [slot, places] of this.#placesOf) {
      if (slot.alert.endsAt > now) this.#nextEndAt = Math.min(this.#nextEndAt, slot.alert.endsAt);
      else for (const { firing } of places) if (firing.delete(slot)) this.#version++;
    }
    return this.#version;
  }

  /** Replaces the rules and matches all alerts again. */
  replaceRules(rules: readonly InhibitionRule[], slots: Iterable<AlertSlot>): void {
    this.#placesOf.clear();
    this.#questionsOf.clear();
    this.#prepare(rules);
    for (const slot of slots) this.add(slot);
  }

  /** Adds a new alert. Labels never change: a repeated post calls `renew`. */
  add(slot: AlertSlot): void {
    if (this.#rules.length === 0) return;
    const { labels } = slot.alert;
    const places: SourcePlace[] = [];
    for (const { prepared } of this.#sourceSides.matching(labels)) {
      const sources = obtainSources(prepared, equalKey(prepared.rule, labels));
      const firing = matchesAll(prepared.rule.targetMatchers, labels) ? sources.twofold : sources.pure;
      this.#mayFire(slot, firing);
      places.push({ sources, firing });
    }
    const questions = this.#findQuestions(labels, obtainSources);
    for (const { sources } of [...places, ...questions]) sources.alerts++;
    if (places.length > 0) this.#placesOf.set(slot, places);
    if (questions.length > 0) this.#questionsOf.set(slot, questions);
  }

  /** The alert was posted again and may fire again. */
  renew(slot: AlertSlot): void {
    // Most alerts are no source.
    if (this.#placesOf.size === 0) return;
    const places = this.#placesOf.get(slot);
    if (places) for (const { firing } of places) this.#mayFire(slot, firing);
  }

  remove(slot: AlertSlot): void {
    const places = this.#placesOf.get(slot) ?? [];
    for (const { firing } of places) if (firing.delete(slot)) this.#version++;
    for (const { sources } of [...places, ...(this.#questionsOf.get(slot) ?? [])]) {
      if (--sources.alerts === 0) sources.rule.byKey.delete(sources.key);
    }
    this.#placesOf.delete(slot);
    this.#questionsOf.delete(slot);
  }

  /** The fingerprint of the source that inhibits the alert under the first such rule. One array per source. */
  inhibitedBy(slot: AlertSlot, now: number): readonly string[] {
    // Most alerts are no target.
    if (this.#questionsOf.size === 0) return NOBODY;
    this.settle(now);
    const questions = this.#questionsOf.get(slot);
    const source = questions && findInhibition(questions, now)?.source;
    if (!source) return NOBODY;
    source.asInhibitor ??= [source.alert.fingerprint];
    return source.asInhibitor;
  }

  /** What would inhibit an alert with these labels now, held or not. */
  explain(labels: LabelSet, now: number): Inhibition | undefined {
    return findInhibition(
      this.#findQuestions(labels, ({ byKey }, key) => byKey.get(key)),
      now,
    );
  }

  /** The source sets for an alert with these labels, in the order of the rules. */
  #findQuestions(
    labels: LabelSet,
    findSources: (rule: PreparedRule, key: string) => Sources | undefined,
  ): readonly Question[] {
    const questions: Question[] = [];
    for (const { prepared } of this.#targetSides.matching(labels)) {
      const sources = findSources(prepared, equalKey(prepared.rule, labels));
      if (sources) questions.push({ sources, isSourceToo: matchesAll(prepared.rule.sourceMatchers, labels) });
    }
    return questions.sort((a, b) => a.sources.rule.place - b.sources.rule.place);
  }

  #mayFire(slot: AlertSlot, firing: FiringSources): void {
    this.#nextEndAt = Math.min(this.#nextEndAt, slot.alert.endsAt);
    if (firing.has(slot)) return;
    firing.add(slot);
    this.#version++;
  }

  #prepare(rules: readonly InhibitionRule[]): void {
    this.#version++;
    this.#rules = rules.map((rule, place) => ({ rule, place, byKey: new Map() }));
    this.#sourceSides = new MatcherIndex(
      this.#rules.map((prepared) => ({ matchers: prepared.rule.sourceMatchers, prepared })),
    );
    this.#targetSides = new MatcherIndex(
      this.#rules.map((prepared) => ({ matchers: prepared.rule.targetMatchers, prepared })),
    );
  }
}

function findInhibition(questions: readonly Question[], now: number): Inhibition | undefined {
  for (const { sources, isSourceToo } of questions) {
    const source = findFiring(sources.pure, now) ?? (isSourceToo ? undefined : findFiring(sources.twofold, now));
    if (source) return { rule: sources.rule.rule, place: sources.rule.place, source };
  }
  return undefined;
}

function findFiring(firing: FiringSources, now: number): AlertSlot | undefined {
  for (const source of firing) if (source.alert.endsAt > now) return source;
  return undefined;
}

function obtainSources(rule: PreparedRule, key: string): Sources {
  const known = rule.byKey.get(key);
  if (known) return known;
  const sources: Sources = { rule, key, pure: new Set(), twofold: new Set(), alerts: 0 };
  rule.byKey.set(key, sources);
  return sources;
}

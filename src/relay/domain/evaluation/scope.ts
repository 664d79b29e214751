import { type BigSegmentMembership, type BigSegmentMemberships, graverStatus } from '../big-segment.ts';
import type { CompiledFlag } from '../compile.ts';
import type { Context } from '../context/context.ts';
import { Malformed, type Match } from '../malformed.ts';
import { type CompiledSegment, matchSegment } from '../segment-match.ts';
import type { EvaluationDetail } from './detail.ts';
import type { BigSegmentsStatus } from './reason.ts';
import type { Trace } from './trace.ts';

/** Finds the flags and segments that an evaluation refers to; deleted ones are absent. */
export interface FlagLookup {
  flag(key: string): CompiledFlag | undefined;
  segment(key: string): CompiledSegment | undefined;
}

export interface ScopeOptions {
  /** Memberships of the context in big segments; undefined without a store of them. */
  readonly memberships?: BigSegmentMemberships | undefined;
  readonly trace?: Trace | undefined;
}

interface CachedResult<T> {
  readonly result: T;
  readonly status: BigSegmentsStatus | undefined;
}

/** Maximum length of a chain of prerequisites or segments; a longer one could overflow the stack. */
const MAX_DEPTH = 500;
/** Maximum uncached evaluations in a scope. Only malformed items are evaluated repeatedly. */
const MAX_EVALUATIONS = 1_000_000;

/**
 * The evaluations of one or more flags for one context. Results of prerequisites and segments are cached: they depend on
 * the dependent flag only in a cycle, and the results of cycles are not cached.
 */
export class EvaluationScope {
  readonly context: Context;
  readonly lookup: FlagLookup;
  readonly trace: Trace | undefined;
  readonly #bigSegmentMemberships: BigSegmentMemberships | undefined;
  #bigSegments: BigSegmentsStatus | undefined;
  readonly #flagsAbove = new Set<CompiledFlag>();
  readonly #segmentsAbove = new Set<CompiledSegment>();
  #evaluations = 0;
  #details: Map<CompiledFlag, CachedResult<EvaluationDetail>> | undefined;
  #memberships: Map<CompiledSegment, CachedResult<boolean>> | undefined;

  constructor(context: Context, lookup: FlagLookup, { memberships, trace }: ScopeOptions = {}) {
    this.context = context;
    this.lookup = lookup;
    this.trace = trace;
    this.#bigSegmentMemberships = memberships;
  }

  /** The membership of a context key in big segments, whose status is noted; undefined if unknown. */
  membershipOf(key: string): BigSegmentMembership | undefined {
    const membership = this.#bigSegmentMemberships?.get(key);
    this.noteBigSegments(membership?.status ?? (this.#bigSegmentMemberships ? 'STORE_ERROR' : 'NOT_CONFIGURED'));
    return membership;
  }

  /** Notes the status of a big segment query; the gravest one counts. */
  noteBigSegments(status: BigSegmentsStatus | undefined): void {
    this.#bigSegments = graverStatus(this.#bigSegments, status);
  }

  /** The status of the big segment queries since the last call; undefined without any. */
  takeBigSegments(): BigSegmentsStatus | undefined {
    const status = this.#bigSegments;
    this.#bigSegments = undefined;
    return status;
  }

  /** Whether the context is in a segment; an unknown segment has no members. */
  isInSegment(key: string): Match {
    const segment = this.lookup.segment(key);
    if (!segment) {
      this.trace?.add({ step: 'no segment', key });
      return false;
    }
    const known = this.#memberships?.get(segment);
    if (known) {
      this.noteBigSegments(known.status);
      this.trace?.add({ step: 'segment', key, because: 'as above', isMember: known.result });
      return known.result;
    }
    const fault = this.#faultOf(this.#segmentsAbove, segment, () => `segment ${JSON.stringify(key)}`);
    if (fault) return fault;
    this.#memberships ??= new Map();
    this.#segmentsAbove.add(segment);
    const isMember = this.#cached(this.#memberships, segment, () => matchSegment(segment, this));
    this.#segmentsAbove.delete(segment);
    return isMember;
  }

  /** Evaluates a prerequisite of `dependent` with `evaluate`. */
  evaluatePrerequisite(
    prerequisite: CompiledFlag,
    dependent: CompiledFlag,
    evaluate: (flag: CompiledFlag, scope: EvaluationScope) => EvaluationDetail | Malformed,
  ): EvaluationDetail | Malformed {
    const known = this.#details?.get(prerequisite);
    if (known) {
      this.noteBigSegments(known.status);
      return known.result;
    }
    this.#flagsAbove.add(dependent);
    this.#details ??= new Map();
    const detail =
      this.#faultOf(this.#flagsAbove, prerequisite, () => `flag ${JSON.stringify(prerequisite.flag.key)}`) ??
      this.#cached(this.#details, prerequisite, () => evaluate(prerequisite, this));
    this.#flagsAbove.delete(dependent);
    return detail;
  }

  #cached<K, T>(known: Map<K, CachedResult<T>>, key: K, find: () => T | Malformed): T | Malformed {
    const before = this.takeBigSegments();
    this.trace?.enter();
    const result = find();
    this.trace?.leave();
    const status = this.takeBigSegments();
    this.noteBigSegments(before);
    this.noteBigSegments(status);
    if (!(result instanceof Malformed)) known.set(key, { result, status });
    return result;
  }

  #faultOf<T>(above: ReadonlySet<T>, item: T, what: () => string): Malformed | undefined {
    if (above.has(item)) return new Malformed(`${what()} leads back to itself`);
    if (above.size > MAX_DEPTH) return new Malformed(`${what()} lies more than ${MAX_DEPTH} levels deep`);
    this.#evaluations++;
    return this.#evaluations > MAX_EVALUATIONS
      ? new Malformed(`${what()} is one of too many that are asked for`)
      : undefined;
  }
}

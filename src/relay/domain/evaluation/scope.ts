import type { CompiledFlag } from '../compile.ts';
import type { Context } from '../context/context.ts';
import { Malformed, type Match } from '../malformed.ts';
import { type CompiledSegment, matchSegment } from '../segment-match.ts';
import type { BigSegmentsStatus } from './reason.ts';
import type { Trace } from './trace.ts';
import type { Verdict } from './verdict.ts';

/** Where an evaluation finds other flags and segments; a deleted one is not there. */
export interface FlagLookup {
  flag(key: string): CompiledFlag | undefined;
  segment(key: string): CompiledSegment | undefined;
}

interface Remembered<T> {
  readonly result: T;
  readonly status: BigSegmentsStatus | undefined;
}

/** How many flags or segments may lead from one to the next: more would be at the end of the stack. */
const MAX_DEPTH = 500;
/** Of flags and segments that are not remembered yet. No good data come near it: only what is malformed is asked again. */
const MAX_QUESTIONS = 1_000_000;

/**
 * One context's evaluations, of one flag or of many. What a prerequisite or a segment comes to is found once and kept: it
 * does not depend on who asks, save in a circle, and a circle is never kept.
 */
export class EvaluationScope {
  readonly context: Context;
  readonly lookup: FlagLookup;
  readonly trace: Trace | undefined;
  #bigSegments: BigSegmentsStatus | undefined;
  readonly #flagsAbove = new Set<CompiledFlag>();
  readonly #segmentsAbove = new Set<CompiledSegment>();
  #questions = 0;
  #verdicts: Map<CompiledFlag, Remembered<Verdict>> | undefined;
  #memberships: Map<CompiledSegment, Remembered<boolean>> | undefined;

  constructor(context: Context, lookup: FlagLookup, trace?: Trace) {
    this.context = context;
    this.lookup = lookup;
    this.trace = trace;
  }

  /** Notes how a question to big segments went. */
  noteBigSegments(status: BigSegmentsStatus | undefined): void {
    this.#bigSegments ??= status;
  }

  /** How the questions to big segments went since the last call; undefined: there were none. */
  takeBigSegments(): BigSegmentsStatus | undefined {
    const status = this.#bigSegments;
    this.#bigSegments = undefined;
    return status;
  }

  /** Whether the context is in the segment of that key; it is in none that there is not. */
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
    const isMember = this.#remember(this.#memberships, segment, () => matchSegment(segment, this));
    this.#segmentsAbove.delete(segment);
    return isMember;
  }

  /** What a prerequisite comes to, by `judge`; `asker` is the flag that has it. */
  judgePrerequisite(
    prerequisite: CompiledFlag,
    asker: CompiledFlag,
    judge: (flag: CompiledFlag, scope: EvaluationScope) => Verdict | Malformed,
  ): Verdict | Malformed {
    const known = this.#verdicts?.get(prerequisite);
    if (known) {
      this.noteBigSegments(known.status);
      return known.result;
    }
    this.#flagsAbove.add(asker);
    this.#verdicts ??= new Map();
    const verdict =
      this.#faultOf(this.#flagsAbove, prerequisite, () => `flag ${JSON.stringify(prerequisite.flag.key)}`) ??
      this.#remember(this.#verdicts, prerequisite, () => judge(prerequisite, this));
    this.#flagsAbove.delete(asker);
    return verdict;
  }

  #remember<K, T>(known: Map<K, Remembered<T>>, key: K, find: () => T | Malformed): T | Malformed {
    const before = this.takeBigSegments();
    this.trace?.enter();
    const result = find();
    this.trace?.leave();
    const status = this.takeBigSegments();
    this.noteBigSegments(before ?? status);
    if (!(result instanceof Malformed)) known.set(key, { result, status });
    return result;
  }

  #faultOf<T>(above: ReadonlySet<T>, item: T, what: () => string): Malformed | undefined {
    if (above.has(item)) return new Malformed(`${what()} leads back to itself`);
    if (above.size > MAX_DEPTH) return new Malformed(`${what()} lies more than ${MAX_DEPTH} levels deep`);
    this.#questions++;
    return this.#questions > MAX_QUESTIONS
      ? new Malformed(`${what()} is one of too many that are asked for`)
      : undefined;
  }
}

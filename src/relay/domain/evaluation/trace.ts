import type { Bucketing } from '../bucket.ts';
import type { Clause } from '../flag.ts';
import type { Json } from '../json.ts';

/** One thing that an evaluation looked at. */
export type TraceStep =
  | { readonly step: 'flag'; readonly key: string; readonly isOn: boolean }
  | { readonly step: 'no prerequisite' | 'no segment'; readonly key: string }
  | {
      readonly step: 'prerequisite';
      readonly key: string;
      readonly wanted: number;
      readonly variation: number | null;
      readonly isOn: boolean;
      readonly isMet: boolean;
    }
  | {
      readonly step: 'target';
      readonly kind: string;
      /** How many keys it lists. */
      readonly keys: number;
      readonly variation: number | null;
      readonly isMatch: boolean;
    }
  | { readonly step: 'rule'; readonly index: number; readonly id: string }
  | {
      readonly step: 'clause';
      readonly clause: Clause;
      /** The context's value; undefined where it has none, and for segments. */
      readonly found: Json | undefined;
      readonly isMatch: boolean;
    }
  | { readonly step: 'segment'; readonly key: string; readonly because: string; readonly isMember: boolean }
  | {
      readonly step: 'bucket';
      readonly bucketing: Bucketing;
      /** From 0 to 1; undefined where the context has nobody of the kind. */
      readonly bucket: number | undefined;
      /** The threshold that the bucket is below; undefined: below none. */
      readonly below: number | undefined;
    }
  | { readonly step: 'fallthrough' }
  | { readonly step: 'malformed'; readonly why: string };

/** The way of an evaluation, for people who ask why. It holds values of the context: it is for a terminal, not a log. */
export class Trace {
  readonly #steps: { readonly depth: number; readonly step: TraceStep }[] = [];
  #depth = 0;

  get steps(): readonly { readonly depth: number; readonly step: TraceStep }[] {
    return this.#steps;
  }

  add(step: TraceStep): void {
    this.#steps.push({ depth: this.#depth, step });
  }

  /** What follows belongs to a step that is told later, or to the last one. */
  enter(): void {
    this.#depth++;
  }

  leave(): void {
    this.#depth--;
  }
}

/** So many of a clause's values are printed. */
const MAX_VALUES = 5;

const json = (value: unknown): string => JSON.stringify(value);
const outcome = (isMatch: boolean): string => (isMatch ? 'matches' : 'no match');

function printValues(values: readonly Json[]): string {
  const shown = values.slice(0, MAX_VALUES).map(json).join(', ');
  return values.length > MAX_VALUES ? `${shown} and ${values.length - MAX_VALUES} more` : shown;
}

function printClause({ contextKind, attribute, op, values, negate }: Clause, found: Json | undefined): string {
  const operator = `${negate ? 'not ' : ''}${op === '' ? '(no operator)' : op}`;
  if (op === 'segmentMatch') return `${operator} ${printValues(values)}`;
  const value = found === undefined ? 'absent' : json(found);
  return `${contextKind === '' ? 'user' : contextKind} ${attribute} (${value}) ${operator} ${printValues(values)}`;
}

function printBucket({ contextKind, attribute, prefix }: Bucketing, bucket: number | undefined): string {
  if (bucket === undefined) return `bucket: the context has no ${contextKind}, which counts as 0`;
  return `bucket of ${contextKind} by ${attribute.source} with ${json(prefix)}: ${bucket}`;
}

function printStep(step: TraceStep): string {
  switch (step.step) {
    case 'flag':
      return `flag ${json(step.key)} is ${step.isOn ? 'on' : 'off'}`;
    case 'no prerequisite':
      return `prerequisite ${json(step.key)}: there is no such flag`;
    case 'no segment':
      return `segment ${json(step.key)}: there is none`;
    case 'prerequisite': {
      const got = step.variation === null ? 'no variation' : `variation ${step.variation}`;
      const found = `${got}${step.isOn ? '' : ' while off'}, wanted ${step.wanted}`;
      return `prerequisite ${json(step.key)}: ${found}: ${step.isMet ? 'met' : 'failed'}`;
    }
    case 'target':
      return `target of ${step.keys} ${step.kind} keys, variation ${step.variation}: ${outcome(step.isMatch)}`;
    case 'rule':
      return `rule ${step.index}${step.id === '' ? '' : ` (${step.id})`}`;
    case 'clause':
      return `clause: ${printClause(step.clause, step.found)}: ${outcome(step.isMatch)}`;
    case 'segment':
      return `segment ${json(step.key)}: ${step.isMember ? 'in' : 'not in'} (${step.because})`;
    case 'bucket':
      return `${printBucket(step.bucketing, step.bucket)}${step.below === undefined ? ', below no threshold' : `, below ${step.below}`}`;
    case 'fallthrough':
      return 'fallthrough';
    case 'malformed':
      return `malformed: ${step.why}`;
  }
}

/** The trace as lines, two blanks deeper for what was looked at on behalf of the step around it. */
export function printTrace(trace: Trace): string {
  return trace.steps.map(({ depth, step }) => `${'  '.repeat(depth)}${printStep(step)}\n`).join('');
}

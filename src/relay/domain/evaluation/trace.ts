import type { Bucketing } from '../bucket.ts';
import type { Clause } from '../flag.ts';
import type { Json } from '../json.ts';

/** One step of an evaluation. */
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
      /** Number of keys in the target. */
      readonly keys: number;
      readonly variation: number | null;
      readonly isMatch: boolean;
    }
  | { readonly step: 'rule'; readonly index: number; readonly id: string }
  | {
      readonly step: 'clause';
      readonly clause: Clause;
      /** The context's value; undefined if absent and for segments. */
      readonly found: Json | undefined;
      readonly isMatch: boolean;
    }
  | { readonly step: 'segment'; readonly key: string; readonly because: string; readonly isMember: boolean }
  | {
      readonly step: 'bucket';
      readonly bucketing: Bucketing;
      /** From 0 to 1; undefined if the context lacks the kind. */
      readonly bucket: number | undefined;
      /** The first threshold above the bucket; undefined if there is none. */
      readonly below: number | undefined;
    }
  | { readonly step: 'fallthrough' }
  /** The trace is that of a context that no big segment lists; the result is not. */
  | { readonly step: 'members unknown' }
  | { readonly step: 'malformed'; readonly why: string };

/** The steps of an evaluation. Holds values of the context, so it must not be logged. */
export class Trace {
  readonly #steps: { readonly depth: number; readonly step: TraceStep }[] = [];
  #depth = 0;

  get steps(): readonly { readonly depth: number; readonly step: TraceStep }[] {
    return this.#steps;
  }

  add(step: TraceStep): void {
    this.#steps.push({ depth: this.#depth, step });
  }

  /** Begins a nested level: the next steps belong to the last step or to one added later. */
  enter(): void {
    this.#depth++;
  }

  leave(): void {
    this.#depth--;
  }
}

/** Maximum number of printed values of a clause. */
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
  if (bucket === undefined) return `bucket: 0, the context has no ${contextKind}`;
  return `bucket of ${contextKind} by ${attribute.source} with ${json(prefix)}: ${bucket}`;
}

function printStep(step: TraceStep): string {
  switch (step.step) {
    case 'flag':
      return `flag ${json(step.key)} is ${step.isOn ? 'on' : 'off'}`;
    case 'no prerequisite':
      return `prerequisite ${json(step.key)}: unknown flag`;
    case 'no segment':
      return `segment ${json(step.key)}: unknown segment`;
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
    case 'members unknown':
      return 'these steps are without the members of big segments, which only the relay knows; the result is with them';
    case 'malformed':
      return `malformed: ${step.why}`;
  }
}

/** One line per step; nested steps are indented by two spaces per level. */
export function printTrace(trace: Trace): string {
  return trace.steps.map(({ depth, step }) => `${'  '.repeat(depth)}${printStep(step)}\n`).join('');
}

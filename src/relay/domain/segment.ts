import type { Outcome } from '../../kernel/outcome.ts';
import { type Clause, readClause } from './flag.ts';
import { type JsonFields, readObject } from './json-fields.ts';

export interface SegmentTarget {
  /** Empty for the kind `user`. */
  readonly contextKind: string;
  readonly values: readonly string[];
}

export interface SegmentRule {
  readonly id: string;
  readonly clauses: readonly Clause[];
  /** In thousandths of a percent; undefined: every context that matches the clauses. */
  readonly weight: number | undefined;
  readonly bucketBy: string;
  /** Empty: the kind `user`, and `bucketBy` is a plain name. */
  readonly rolloutContextKind: string;
}

export interface Segment {
  readonly key: string;
  readonly version: number;
  readonly deleted: boolean;
  readonly salt: string;
  /** Keys of the kind `user`. */
  readonly included: readonly string[];
  readonly excluded: readonly string[];
  readonly includedContexts: readonly SegmentTarget[];
  readonly excludedContexts: readonly SegmentTarget[];
  readonly rules: readonly SegmentRule[];
  /** A big segment: its keys are in a big segment store. */
  readonly unbounded: boolean;
  readonly unboundedContextKind: string;
  readonly generation: number | undefined;
}

function readTarget(fields: JsonFields): SegmentTarget {
  return { contextKind: fields.text('contextKind'), values: fields.texts('values') };
}

function readRule(fields: JsonFields): SegmentRule {
  return {
    id: fields.text('id'),
    clauses: fields.list('clauses', readClause),
    weight: fields.integer('weight'),
    bucketBy: fields.text('bucketBy'),
    rolloutContextKind: fields.text('rolloutContextKind'),
  };
}

function readSegmentFields(fields: JsonFields): Segment {
  return {
    key: fields.text('key'),
    version: fields.integer('version') ?? 0,
    deleted: fields.flag('deleted'),
    salt: fields.text('salt'),
    included: fields.texts('included'),
    excluded: fields.texts('excluded'),
    includedContexts: fields.list('includedContexts', readTarget),
    excludedContexts: fields.list('excludedContexts', readTarget),
    rules: fields.list('rules', readRule),
    unbounded: fields.flag('unbounded'),
    unboundedContextKind: fields.text('unboundedContextKind'),
    generation: fields.integer('generation'),
  };
}

/** Reads a segment. Ignores unknown properties; refuses a value of a wrong type. */
export const readSegment = (json: unknown): Outcome<Segment> => readObject(json, readSegmentFields);

import type { Outcome } from '../../kernel/outcome.ts';
import type { Json } from './json.ts';
import { type JsonFields, readObject } from './json-fields.ts';

// LaunchDarkly's data model of a flag, with defaults for absent properties.

export interface Prerequisite {
  readonly key: string;
  readonly variation: number;
}

export interface Target {
  /** Empty for the kind `user`. */
  readonly contextKind: string;
  readonly values: readonly string[];
  readonly variation: number;
}

export interface Clause {
  /** Empty: the kind `user`, and the attribute is a plain name. */
  readonly contextKind: string;
  readonly attribute: string;
  readonly op: string;
  readonly values: readonly Json[];
  readonly negate: boolean;
}

export interface WeightedVariation {
  readonly variation: number;
  /** In thousandths of a percent. */
  readonly weight: number;
  readonly untracked: boolean;
}

export interface Rollout {
  /** `experiment`; any other value is a plain rollout. */
  readonly kind: string;
  /** Empty: the kind `user`, and `bucketBy` is a plain name. */
  readonly contextKind: string;
  readonly bucketBy: string;
  readonly seed: number | undefined;
  readonly variations: readonly WeightedVariation[];
}

export interface VariationOrRollout {
  readonly variation: number | undefined;
  readonly rollout: Rollout | undefined;
}

export interface FlagRule extends VariationOrRollout {
  readonly id: string;
  readonly clauses: readonly Clause[];
  readonly trackEvents: boolean;
}

export interface ClientSideAvailability {
  readonly usingMobileKey: boolean;
  readonly usingEnvironmentId: boolean;
}

export interface Flag {
  readonly key: string;
  readonly version: number;
  readonly deleted: boolean;
  readonly on: boolean;
  readonly salt: string;
  readonly variations: readonly Json[];
  readonly offVariation: number | undefined;
  readonly fallthrough: VariationOrRollout;
  readonly prerequisites: readonly Prerequisite[];
  /** Of the kind `user`. */
  readonly targets: readonly Target[];
  readonly contextTargets: readonly Target[];
  readonly rules: readonly FlagRule[];
  readonly trackEvents: boolean;
  readonly trackEventsFallthrough: boolean;
  /** Unix time in milliseconds; 0 for never. */
  readonly debugEventsUntilDate: number;
  readonly clientSideAvailability: ClientSideAvailability;
}

export function readClause(fields: JsonFields): Clause {
  return {
    contextKind: fields.text('contextKind'),
    attribute: fields.text('attribute'),
    op: fields.text('op'),
    values: fields.values('values'),
    negate: fields.flag('negate'),
  };
}

function readTarget(fields: JsonFields): Target {
  return {
    contextKind: fields.text('contextKind'),
    values: fields.texts('values'),
    variation: fields.integer('variation') ?? 0,
  };
}

function readPrerequisite(fields: JsonFields): Prerequisite {
  return { key: fields.text('key'), variation: fields.integer('variation') ?? 0 };
}

function readWeightedVariation(fields: JsonFields): WeightedVariation {
  return {
    variation: fields.integer('variation') ?? 0,
    weight: fields.integer('weight') ?? 0,
    untracked: fields.flag('untracked'),
  };
}

function readRollout(fields: JsonFields): Rollout {
  return {
    kind: fields.text('kind'),
    contextKind: fields.text('contextKind'),
    bucketBy: fields.text('bucketBy'),
    seed: fields.integer('seed'),
    variations: fields.list('variations', readWeightedVariation),
  };
}

function readVariationOrRollout(fields: JsonFields): VariationOrRollout {
  return { variation: fields.integer('variation'), rollout: fields.object('rollout', readRollout) };
}

function readRule(fields: JsonFields): FlagRule {
  return {
    ...readVariationOrRollout(fields),
    id: fields.text('id'),
    clauses: fields.list('clauses', readClause),
    trackEvents: fields.flag('trackEvents'),
  };
}

function readAvailability(fields: JsonFields): ClientSideAvailability {
  return { usingMobileKey: fields.flag('usingMobileKey'), usingEnvironmentId: fields.flag('usingEnvironmentId') };
}

function readFlagFields(fields: JsonFields): Flag {
  // Always read, so that a wrong type is always refused.
  const clientSide = fields.flag('clientSide');
  return {
    key: fields.text('key'),
    version: fields.integer('version') ?? 0,
    deleted: fields.flag('deleted'),
    on: fields.flag('on'),
    salt: fields.text('salt'),
    variations: fields.values('variations'),
    offVariation: fields.integer('offVariation'),
    fallthrough: fields.object('fallthrough', readVariationOrRollout) ?? { variation: undefined, rollout: undefined },
    prerequisites: fields.list('prerequisites', readPrerequisite),
    targets: fields.list('targets', readTarget),
    contextTargets: fields.list('contextTargets', readTarget),
    rules: fields.list('rules', readRule),
    trackEvents: fields.flag('trackEvents'),
    trackEventsFallthrough: fields.flag('trackEventsFallthrough'),
    debugEventsUntilDate: fields.integer('debugEventsUntilDate') ?? 0,
    clientSideAvailability: fields.object('clientSideAvailability', readAvailability) ?? {
      usingMobileKey: true,
      usingEnvironmentId: clientSide,
    },
  };
}

/** Reads a flag. Ignores unknown properties; refuses a value of a wrong type. */
export const readFlag = (json: unknown): Outcome<Flag> => readObject(json, readFlagFields);

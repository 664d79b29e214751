import { hash } from 'node:crypto';
import { type AttributeReference, attributeOf } from './context/attribute-reference.ts';
import { type Context, type Individual, individualOf } from './context/context.ts';
import type { Json } from './json.ts';

/** By what individuals are divided into buckets. */
export interface Bucketing {
  readonly contextKind: string;
  readonly attribute: AttributeReference;
  /** A seed, or the key and the salt of a flag or segment, with a dot between. */
  readonly prefix: string;
  /** Experiments leave a user's `secondary` out. */
  readonly isExperiment: boolean;
}

/** The decimal text of a whole number, as 64 bits hold it; of one that they do not hold, that of their least. */
export function printInteger(value: number): string {
  if (Number.isSafeInteger(value)) return String(value);
  return BigInt(value >= -(2 ** 63) && value < 2 ** 63 ? value : -(2 ** 63)).toString();
}

/** What of a value is hashed; undefined where it cannot be. */
function hashedText(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'number' || !Number.isInteger(value)) return undefined;
  return value >= -(2 ** 63) && value < 2 ** 63 ? printInteger(value) : undefined;
}

/**
 * The 60 bits `high` (32) and `low` (28) as a fraction of 2^60, rounded once to single precision. A double holds 53 bits:
 * rounding to one first could come to a tie that there is not, so the bits that do not fit leave one behind.
 */
export function fractionOf(high: number, low: number): number {
  if (high < 2 ** 25) return Math.fround(high * 2 ** 28 + low) / 2 ** 60;
  const leading = high * 2 ** 20 + (low >>> 8);
  const isOdd = ((low >>> 8) & 1) === 1;
  return Math.fround((low & 0xff) !== 0 && !isOdd ? leading + 1 : leading) / 2 ** 52;
}

/** The bucket of a hashed text: from 0 to 1, in single precision. */
export function hashBucket(text: string): number {
  const digest = hash('sha1', text, 'hex');
  return fractionOf(Number.parseInt(digest.slice(0, 8), 16), Number.parseInt(digest.slice(8, 15), 16));
}

/** The text that decides an individual's bucket; undefined where its attribute is missing or has a wrong type. */
export function hashInput(bucketing: Bucketing, individual: Individual): string | undefined {
  const text = hashedText(attributeOf(individual, bucketing.attribute));
  if (text === undefined) return undefined;
  const secondary = bucketing.isExperiment ? undefined : individual.secondary;
  return `${bucketing.prefix}.${text}${secondary === undefined ? '' : `.${secondary}`}`;
}

/** From 0 to 1, 0 where the attribute cannot be hashed; undefined where the context has nobody of the kind. */
export function bucketOf(bucketing: Bucketing, context: Context): number | undefined {
  const individual = individualOf(context, bucketing.contextKind);
  if (!individual) return undefined;
  const input = hashInput(bucketing, individual);
  return input === undefined ? 0 : hashBucket(input);
}

/** A weight in thousandths of a percent as a share of all buckets, in single precision. */
export const shareOf = (weight: number): number => Math.fround(Math.fround(weight) / 100_000);

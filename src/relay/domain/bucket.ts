import { hash } from 'node:crypto';
import { type AttributeReference, attributeOf } from './context/attribute-reference.ts';
import { type Context, type Individual, individualOf } from './context/context.ts';
import type { Json } from './json.ts';
import { endSha1, type Sha1Start, startSha1 } from './sha1.ts';

/** How individuals are assigned to buckets. */
export interface Bucketing {
  readonly contextKind: string;
  readonly attribute: AttributeReference;
  /** The seed, or `key.salt` of the flag or segment. */
  readonly prefix: string;
  /** The hash of the prefix and its dot; undefined if it is not ASCII. */
  readonly start: Sha1Start | undefined;
  /** Experiments ignore a user's `secondary`. */
  readonly isExperiment: boolean;
}

/** A whole number as decimal text. Outside of int64 it becomes the minimum of int64, as in Go. */
export function printInteger(value: number): string {
  if (Number.isSafeInteger(value)) return String(value);
  return BigInt(value >= -(2 ** 63) && value < 2 ** 63 ? value : -(2 ** 63)).toString();
}

/** The text of a value for hashing; undefined if its type cannot be hashed. */
function hashedText(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'number' || !Number.isInteger(value)) return undefined;
  return value >= -(2 ** 63) && value < 2 ** 63 ? printInteger(value) : undefined;
}

/**
 * The 60 bits `high` (32) and `low` (28) as a fraction of 2^60, rounded once to single precision. Rounding to the 53 bits of
 * a double first could produce a false tie, so the lost bits are folded into the lowest bit (sticky bit).
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

/** How individuals are assigned to buckets, prepared for hashing. */
export function bucketingOf(bucketing: Omit<Bucketing, 'start'>): Bucketing {
  return { ...bucketing, start: startSha1(`${bucketing.prefix}.`) };
}

/** The text hashed after the prefix for an individual's bucket; undefined if the attribute is missing or has a wrong type. */
export function hashInput(bucketing: Bucketing, individual: Individual): string | undefined {
  const text = hashedText(attributeOf(individual, bucketing.attribute));
  const secondary = bucketing.isExperiment ? undefined : individual.secondary;
  return text === undefined || secondary === undefined ? text : `${text}.${secondary}`;
}

/** From 0 to 1; 0 if the attribute cannot be hashed; undefined if the context lacks the kind. */
export function bucketOf(bucketing: Bucketing, context: Context): number | undefined {
  const individual = individualOf(context, bucketing.contextKind);
  if (!individual) return undefined;
  const input = hashInput(bucketing, individual);
  if (input === undefined) return 0;
  const digest = bucketing.start && endSha1(bucketing.start, input);
  if (!digest) return hashBucket(`${bucketing.prefix}.${input}`);
  return fractionOf((digest[0] as number) >>> 0, (digest[1] as number) >>> 4);
}

/** A weight in thousandths of a percent as a fraction, in single precision. */
export const shareOf = (weight: number): number => Math.fround(Math.fround(weight) / 100_000);

import { accepted, type Outcome, refused } from '../../../kernel/outcome.ts';
import { formatFloat, parseFloatText } from '../printf/float.ts';
import { GoInt, type GoValue, typeNameOf } from '../value.ts';

const SECOND = 1_000_000_000n;
const MAX_DURATION = 2n ** 63n - 1n;
const MIN_DURATION = -(2n ** 63n);

/** Clamps nanoseconds to the range of Go's time.Duration, like its arithmetic on times. */
export const clampDuration = (ns: bigint): bigint =>
  ns > MAX_DURATION ? MAX_DURATION : ns < MIN_DURATION ? MIN_DURATION : ns;

const magnitude = (ns: bigint): bigint => (ns < 0n ? -ns : ns);

/** `whole` units with decimals, without trailing zeros. */
function withDecimals(ns: bigint, unit: bigint): string {
  const digits = String(unit).length - 1;
  const rest = String(ns % unit)
    .padStart(digits, '0')
    .replace(/0+$/, '');
  return `${ns / unit}${digits === 0 || rest === '' ? '' : `.${rest}`}`;
}

/** Writes nanoseconds as Go prints a time.Duration: `1h2m3.5s`, `1.5µs`, `0s`. */
export function formatGoDuration(ns: bigint): string {
  if (ns === 0n) return '0s';
  const sign = ns < 0n ? '-' : '';
  const size = magnitude(ns);
  if (size < 1000n) return `${sign}${size}ns`;
  if (size < 1_000_000n) return `${sign}${withDecimals(size, 1000n)}µs`;
  if (size < SECOND) return `${sign}${withDecimals(size, 1_000_000n)}ms`;
  const minutes = size / (60n * SECOND);
  const seconds = `${withDecimals(size % (60n * SECOND), SECOND)}s`;
  if (minutes === 0n) return sign + seconds;
  return minutes < 60n ? `${sign}${minutes}m${seconds}` : `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

/** Whole units of `unit` nanoseconds and a fraction, as Go's Duration.Hours, Minutes and Seconds count them. */
export function durationIn(ns: bigint, unit: bigint): number {
  return Number(ns / unit) + Number(ns % unit) / Number(unit);
}

/** Truncates to a multiple of `step`; a step of zero or less leaves the duration. */
export const truncateDuration = (ns: bigint, step: bigint): bigint => (step <= 0n ? ns : ns - (ns % step));

/** The nearest multiple of `step`, halves away from zero; a step of zero or less leaves the duration. */
export function roundDuration(ns: bigint, step: bigint): bigint {
  if (step <= 0n) return ns;
  const rest = magnitude(ns % step);
  const down = magnitude(ns) - rest;
  const rounded = rest * 2n < step ? down : down + step;
  return clampDuration(ns < 0n ? -rounded : rounded);
}

export const absoluteDuration = (ns: bigint): bigint => clampDuration(magnitude(ns));

/** The argument of humanizeDuration in seconds. */
function secondsOf(value: GoValue): Outcome<number> {
  if (typeof value === 'number') return accepted(value);
  if (typeof value === 'bigint') return accepted(Number(value));
  if (typeof value === 'string') return parseFloatText(value);
  if (value instanceof GoInt && value.type === 'int64') return accepted(Number(value.value));
  if (value instanceof GoInt && value.type === 'time.Duration') return accepted(durationIn(value.value, SECOND));
  return refused(`can't convert ${typeNameOf(value)} to float`);
}

const SMALL_UNITS = ['m', 'u', 'n', 'p', 'f', 'a', 'z', 'y'] as const;

const fourDigits = (value: number): string => formatFloat(value, 'g', 4);

function humanizeFraction(seconds: number): string {
  let rest = seconds;
  let prefix = '';
  for (const unit of SMALL_UNITS) {
    if (Math.abs(rest) >= 1) break;
    prefix = unit;
    rest *= 1000;
  }
  return `${fourDigits(rest)}${prefix}s`;
}

/** Go's conversion of a float64 to an int64 on amd64: an overflow becomes the smallest. */
function toInt64(value: number): bigint {
  const whole = BigInt(Math.trunc(value));
  return whole > MAX_DURATION || whole < MIN_DURATION ? MIN_DURATION : whole;
}

function humanizeWhole(seconds: number): string {
  const sign = seconds < 0 ? '-' : '';
  const size = Math.abs(seconds);
  const total = toInt64(size);
  const parts = [total / 86_400n, (total / 3600n) % 24n, (total / 60n) % 60n, total % 60n];
  const first = parts.findIndex((part) => part !== 0n);
  if (first < 0 || first === 3) return `${sign}${fourDigits(size)}s`;
  const units = ['d', 'h', 'm', 's'];
  const shown = parts.map((part, index) => `${part}${units[index]}`);
  return sign + shown.slice(first).join(' ');
}

/**
 * A readable duration, `1d 2h 3m 4s`, `12ms`, from a number of seconds, as number or text, or a time.Duration. Source:
 * prometheus/common HumanizeDuration.
 */
export function humanizeDuration(value: GoValue): Outcome<string> {
  const seconds = secondsOf(value);
  if (!seconds.ok) return seconds;
  if (!Number.isFinite(seconds.value)) return accepted(fourDigits(seconds.value));
  if (seconds.value === 0) return accepted(`${fourDigits(seconds.value)}s`);
  return accepted(Math.abs(seconds.value) >= 1 ? humanizeWhole(seconds.value) : humanizeFraction(seconds.value));
}

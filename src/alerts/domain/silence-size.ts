import type { Matcher } from './matcher/matcher.ts';
import type { Silence } from './silence.ts';

/**
 * The size of a silence in bytes of Alertmanager's protobuf form (MeshSilence), as `--silences.max-silence-size-bytes`
 * counts it. `retentionMs`: how long it is kept beyond its end.
 */
export function silenceSizeBytes(silence: Silence, retentionMs: number): number {
  const matchers = silence.matchers.map((matcher) => nested(matcherSize(matcher)));
  const content =
    text(silence.id) +
    // Once as the old list, once as the first set of matchers.
    sum(matchers) +
    nested(sum(matchers)) +
    nested(instantSize(silence.startsAt)) +
    nested(instantSize(silence.endsAt)) +
    nested(instantSize(silence.updatedAt)) +
    text(silence.createdBy) +
    text(silence.comment) +
    // A map entry contains empty texts as well.
    sum(Object.entries(silence.annotations).map(([name, value]) => nested(sum([name, value].map(writtenText)))));
  return nested(content) + nested(instantSize(silence.endsAt + retentionMs));
}

/** An equality is the type's zero value, which protobuf does not write. */
function matcherSize({ operator, name, value }: Matcher): number {
  return (operator === '=' ? 0 : 2) + text(name) + text(value);
}

function instantSize(at: number): number {
  const seconds = Math.floor(at / 1000);
  const nanos = (at - seconds * 1000) * 1_000_000;
  return (seconds === 0 ? 0 : 1 + varintSize(seconds)) + (nanos === 0 ? 0 : 1 + varintSize(nanos));
}

/** A field's key takes one byte: every field number here is below 16. */
function nested(bytes: number): number {
  return 1 + varintSize(bytes) + bytes;
}

function text(value: string): number {
  return value === '' ? 0 : writtenText(value);
}

function writtenText(value: string): number {
  return nested(Buffer.byteLength(value));
}

function varintSize(value: number): number {
  if (value < 0) return 10;
  let size = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size++;
  return size;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

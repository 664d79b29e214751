import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import { createMatcher, type Matcher, type MatchOperator } from '../domain/matcher/matcher.ts';
import type { Silence } from '../domain/silence.ts';

/** The operators by the numbers of Matcher.Type. */
const OPERATORS: readonly MatchOperator[] = ['=', '=~', '!=', '!~'];

/**
 * Reads the file `silences` that Alertmanager keeps in its storage path: protobuf messages MeshSilence, each after its
 * length. Source: silence/silencepb/silence.proto; unknown fields are skipped. The refusal of a single silence names it
 * and leaves the others.
 */
export function decodeSnapshot(bytes: Uint8Array): Outcome<readonly Outcome<Silence>[]> {
  const silences: Outcome<Silence>[] = [];
  try {
    const reader = new WireReader(bytes);
    while (!reader.atEnd) silences.push(decodeSilence(firstOf(fieldsOf(reader.bytes()), 1)));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return refused(`it is cut off or damaged after ${silences.length} silences`);
  }
  return accepted(silences);
}

function decodeSilence(bytes: Uint8Array): Outcome<Silence> {
  const fields = fieldsOf(bytes);
  const id = textOf(firstOf(fields, 1));
  // Alertmanager 0.32 and later keep sets of matchers; the old field then repeats the first set.
  const sets = allOf(fields, 11).map((set) => allOf(fieldsOf(set), 1));
  if (sets.length > 1) return refused(`silence ${id} has ${sets.length} sets of matchers, of which one is supported`);
  const matchers = decodeMatchers(sets[0] ?? allOf(fields, 2));
  if (!matchers.ok) return refused(`silence ${id}: ${matchers.reason}`);
  const [startsAt = 0, endsAt = 0, updatedAt = 0] = [3, 4, 5].map((number) => instantOf(firstOf(fields, number)));
  if (![startsAt, endsAt, updatedAt].every(isOfCalendar))
    return refused(`silence ${id} has a time outside of the years 1 to 9999`);
  // Before 0.16 author and text stood in a list of comments.
  const comments = fieldsOf(firstOf(fields, 7));
  return accepted({
    id,
    matchers: matchers.value,
    startsAt,
    endsAt,
    updatedAt,
    createdBy: textOf(firstOf(fields, 8)) || textOf(firstOf(comments, 1)),
    comment: textOf(firstOf(fields, 9)) || textOf(firstOf(comments, 2)),
    annotations: Object.fromEntries(allOf(fields, 10).map((entry) => pairOf(fieldsOf(entry)))),
  });
}

function decodeMatchers(list: readonly Uint8Array[]): Outcome<readonly Matcher[]> {
  const matchers: Matcher[] = [];
  for (const bytes of list) {
    const fields = fieldsOf(bytes);
    const type = fields.find(({ number }) => number === 1)?.value ?? 0;
    const operator = OPERATORS[Number(type)];
    if (!operator) return refused(`a matcher is of the unknown type ${type}`);
    const matcher = createMatcher(textOf(firstOf(fields, 2)), operator, textOf(firstOf(fields, 3)));
    if (!matcher.ok) return matcher;
    matchers.push(matcher.value);
  }
  return matchers.length > 0 ? accepted(matchers) : refused('it has no matchers');
}

interface WireField {
  readonly number: number;
  readonly value: number | Uint8Array;
}

const NOTHING = new Uint8Array();

function fieldsOf(bytes: Uint8Array): readonly WireField[] {
  const reader = new WireReader(bytes);
  const fields: WireField[] = [];
  while (!reader.atEnd) fields.push(reader.field());
  return fields;
}

function allOf(fields: readonly WireField[], wanted: number): readonly Uint8Array[] {
  return fields.flatMap(({ number, value }) => (number === wanted && typeof value !== 'number' ? [value] : []));
}

/** An absent field reads as an empty one. */
function firstOf(fields: readonly WireField[], wanted: number): Uint8Array {
  return allOf(fields, wanted)[0] ?? NOTHING;
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}

function pairOf(fields: readonly WireField[]): readonly [string, string] {
  return [textOf(firstOf(fields, 1)), textOf(firstOf(fields, 2))];
}

/** A google.protobuf.Timestamp in epoch milliseconds. */
function instantOf(bytes: Uint8Array): number {
  const fields = fieldsOf(bytes);
  const numberOf = (wanted: number) => Number(fields.find(({ number }) => number === wanted)?.value ?? 0);
  return numberOf(1) * 1000 + Math.floor(numberOf(2) / 1_000_000);
}

/** The range of a google.protobuf.Timestamp. */
const isOfCalendar = (ms: number): boolean => ms >= FIRST_MS && ms <= LAST_MS;
const FIRST_MS = Date.parse('0001-01-01T00:00:00Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** Reads protobuf's wire format; throws a RangeError for bytes that end too early or are invalid. */
class WireReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get atEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  field(): WireField {
    const key = this.#varint();
    const number = Math.floor(key / 8);
    switch (key % 8) {
      case 0:
        return { number, value: this.#varint() };
      case 1:
        return { number, value: this.#take(8) };
      case 2:
        return { number, value: this.bytes() };
      case 5:
        return { number, value: this.#take(4) };
      default:
        throw new RangeError('not a wire type');
    }
  }

  /** Bytes after their length. */
  bytes(): Uint8Array {
    return this.#take(this.#varint());
  }

  #take(length: number): Uint8Array {
    const end = this.#at + length;
    // A negative length would lead back into an endless loop.
    if (!(length >= 0 && end <= this.#bytes.length)) throw new RangeError('the bytes end too early');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  /** A negative number comes as ten bytes, two's complement of 64 bits. */
  #varint(): number {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#take(1)[0] as number;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return Number(BigInt.asIntN(64, value));
    }
    throw new RangeError('a number is too long');
  }
}

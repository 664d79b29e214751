const DIGIT_BITS = 11;
const DIGITS = 6;
const RADIX = 1 << DIGIT_BITS;

/**
 * Sorts rows by keys (`keys[i]` of `rows[i]`; no NaN), smallest first, stably. Returns the same array if it is sorted
 * already, otherwise a new one.
 */
export function sortRows(rows: Uint32Array, keys: Float64Array): Uint32Array {
  if (isAscending(keys)) return rows;
  return countingSort(rows, keys) ?? radixSort(rows, keys);
}

/** The widest range of whole numbers that is counted. */
const MAX_COUNTED = 1 << 21;

/** Whole numbers of a narrow range (cents, ranks, mostly tokens too) are sorted in two passes; undefined: others. */
function countingSort(rows: Uint32Array, keys: Float64Array): Uint32Array | undefined {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at] as number;
    if (key !== Math.floor(key)) return undefined;
    if (key < least) least = key;
    if (key > most) most = key;
  }
  if (!(most - least < MAX_COUNTED)) return undefined;
  const places = new Uint32Array(most - least + 2);
  for (let at = 0; at < keys.length; at++) {
    const next = (keys[at] as number) - least + 1;
    places[next] = (places[next] as number) + 1;
  }
  for (let value = 1; value < places.length; value++)
    places[value] = (places[value] as number) + (places[value - 1] as number);
  const sorted = new Uint32Array(rows.length);
  for (let at = 0; at < keys.length; at++) {
    const value = (keys[at] as number) - least;
    const place = places[value] as number;
    places[value] = place + 1;
    sorted[place] = rows[at] as number;
  }
  return sorted;
}

function isAscending(keys: Float64Array): boolean {
  for (let at = 1; at < keys.length; at++) if ((keys[at - 1] as number) > (keys[at] as number)) return false;
  return true;
}

/** A radix sort of the keys' bits, flipped so that their order as integers is that of the keys. */
function radixSort(rows: Uint32Array, keys: Float64Array): Uint32Array {
  const count = rows.length;
  const positive = new Float64Array(keys);
  // Minus zero equals zero but has other bits; adding zero makes it plus zero.
  for (let at = 0; at < count; at++) positive[at] = (positive[at] as number) + 0;
  const bits = new Uint32Array(positive.buffer);
  for (let at = 1; at < bits.length; at += 2) {
    const high = bits[at] as number;
    const isNegative = high >>> 31 === 1;
    bits[at] = isNegative ? ~high : high | 0x80000000;
    if (isNegative) bits[at - 1] = ~(bits[at - 1] as number);
  }
  let from: Uint32Array = new Uint32Array(count);
  for (let at = 0; at < count; at++) from[at] = at;
  let to: Uint32Array = new Uint32Array(count);
  const digits = new Uint16Array(count);
  for (let digit = 0; digit < DIGITS; digit++) {
    const counts = countDigits(bits, digit, digits);
    if (counts.includes(count)) continue;
    let place = 0;
    for (let value = 0; value < RADIX; value++) {
      const of = counts[value] as number;
      counts[value] = place;
      place += of;
    }
    for (let at = 0; at < count; at++) {
      const position = from[at] as number;
      const value = digits[position] as number;
      const target = counts[value] as number;
      counts[value] = target + 1;
      to[target] = position;
    }
    [from, to] = [to, from];
  }
  for (let at = 0; at < count; at++) to[at] = rows[from[at] as number] as number;
  return to;
}

/** Fills `digits` with one digit of every key and returns the count of each. */
function countDigits(bits: Uint32Array, digit: number, digits: Uint16Array): Uint32Array {
  const counts = new Uint32Array(RADIX);
  const shift = digit * DIGIT_BITS;
  for (let at = 0; at < digits.length; at++) {
    const low = bits[2 * at] as number;
    const high = bits[2 * at + 1] as number;
    let value: number;
    if (shift >= 32) value = high >>> (shift - 32);
    else if (shift + DIGIT_BITS <= 32) value = low >>> shift;
    else value = (low >>> shift) | (high << (32 - shift));
    value &= RADIX - 1;
    digits[at] = value;
    counts[value] = (counts[value] as number) + 1;
  }
  return counts;
}

/** Rows by time reversed: newest first, but rows of one instant in list order. */
export function newestFirst(rows: Uint32Array, at: Float64Array): Uint32Array {
  const turned = rows.slice().reverse();
  for (let from = 0; from < turned.length; ) {
    const instant = at[turned[from] as number];
    let to = from + 1;
    while (to < turned.length && at[turned[to] as number] === instant) to++;
    if (to - from > 1) turned.subarray(from, to).reverse();
    from = to;
  }
  return turned;
}

/** The index of the first row at or after an instant, in rows by time. */
export function lowerBound(rows: Uint32Array, at: Float64Array, instant: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((at[rows[middle] as number] as number) < instant) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The index of the first row after an instant, in rows by time. */
export function upperBound(rows: Uint32Array, at: Float64Array, instant: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((at[rows[middle] as number] as number) <= instant) low = middle + 1;
    else high = middle;
  }
  return low;
}

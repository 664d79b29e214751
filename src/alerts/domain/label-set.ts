import { quoteGo } from './quote.ts';

/**
 * Labels, sorted by the UTF-8 bytes of their names, without empty values. Sets with equal names share one `names`
 * array, so that ten thousand alerts of one rule hold it once.
 */
export interface LabelSet {
  readonly names: readonly string[];
  readonly values: readonly string[];
}

/** Orders texts by their UTF-8 bytes, like Go; JavaScript's order differs beyond the basic plane. */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    // Surrogates represent code points above all other UTF-16 units.
    if (left !== right) return rankOf(left) - rankOf(right);
  }
  return a.length - b.length;
}

function rankOf(unit: number): number {
  return unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

const MAX_SHARED_NAMES = 10_000;
const sharedNames = new Map<string, readonly string[]>();

/** Consecutive alerts often belong to the same rule. */
let lastNames: readonly string[] = [];

function shareNames(names: readonly string[]): readonly string[] {
  if (!isSameList(lastNames, names)) lastNames = findSharedNames(names);
  return lastNames;
}

function findSharedNames(names: readonly string[]): readonly string[] {
  const key = names.join('\u0000');
  const known = sharedNames.get(key);
  // A name may contain NUL or be empty: then different names have the same key.
  if (known) return isSameList(known, names) ? known : names;
  if (sharedNames.size >= MAX_SHARED_NAMES) sharedNames.clear();
  sharedNames.set(key, names);
  return names;
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false;
  return true;
}

/** Makes a label set from a record; pairs with an empty value are left out, as they equal an absent label. */
export function createLabelSet(labels: Readonly<Record<string, string>>): LabelSet {
  const names: string[] = [];
  let sorted = true;
  for (const name of Object.keys(labels)) {
    if (labels[name] === '') continue;
    if (sorted && names.length > 0 && compareUtf8(names[names.length - 1] as string, name) > 0) sorted = false;
    names.push(name);
  }
  if (!sorted) names.sort(compareUtf8);
  const shared = shareNames(names);
  return { names: shared, values: shared.map((name) => labels[name] as string) };
}

/** The value of a label, or undefined when the set has no such label. */
export function labelValue(labels: LabelSet, name: string): string | undefined {
  const index = labels.names.indexOf(name);
  return index < 0 ? undefined : labels.values[index];
}

/** The subset with these names. */
export function pickLabels(labels: LabelSet, wanted: ReadonlySet<string>): LabelSet {
  const names: string[] = [];
  const values: string[] = [];
  for (const [index, name] of labels.names.entries()) {
    if (!wanted.has(name)) continue;
    names.push(name);
    values.push(labels.values[index] as string);
  }
  return { names: shareNames(names), values };
}

/**
 * Orders label sets: fewer labels first; then, along the names of both, the set that lacks a name, or has the smaller
 * value. Source: prometheus/common model.LabelSet.Before.
 */
export function compareLabelSets(a: LabelSet, b: LabelSet): number {
  if (a.names.length !== b.names.length) return a.names.length - b.names.length;
  if (a.names === b.names) {
    for (const [index, value] of a.values.entries()) {
      const order = compareUtf8(value, b.values[index] as string);
      if (order !== 0) return order;
    }
    return 0;
  }
  let left = 0;
  let right = 0;
  while (left < a.names.length && right < b.names.length) {
    const order = compareUtf8(a.names[left] as string, b.names[right] as string);
    // The other set lacks the smaller name.
    if (order !== 0) return order < 0 ? 1 : -1;
    const values = compareUtf8(a.values[left++] as string, b.values[right++] as string);
    if (values !== 0) return values;
  }
  return 0;
}

/** `{alertname="DiskFull", severity="page"}` with Go's quoting, as in group keys. */
export function printLabelSet(labels: LabelSet): string {
  return `{${labels.names.map((name, index) => `${name}=${quoteGo(labels.values[index] as string)}`).join(', ')}}`;
}

/**
 * Pairs as a JSON object. Joined, not concatenated: a concatenation is kept as a tree of its parts, at twice the memory.
 */
export function printPairs(names: readonly string[], values: readonly string[]): string {
  if (names.length === 0) return '{}';
  const pairs = names.map(
    (name, index) => `${index === 0 ? '{' : ''}${JSON.stringify(name)}:${JSON.stringify(values[index])}`,
  );
  pairs[pairs.length - 1] += '}';
  return pairs.join(',');
}

/** The labels as a JSON object. */
export function labelsJson(labels: LabelSet): string {
  return printPairs(labels.names, labels.values);
}

/**
 * The identity of a label set: FNV-1a (64 bit) over each name, 0xFF, value, 0xFF in UTF-8, as 16 hexadecimal digits.
 * Source: prometheus/common model.LabelSet.Fingerprint.
 */
export function fingerprintOf(labels: LabelSet): string {
  const hash = new Int32Array([0xcbf29ce4, 0x84222325]);
  for (let index = 0; index < labels.names.length; index++) {
    feedText(hash, labels.names[index] as string);
    feedText(hash, labels.values[index] as string);
  }
  HASH_BYTES.writeInt32BE(hash[0] as number, 0);
  HASH_BYTES.writeInt32BE(hash[1] as number, 4);
  return HASH_BYTES.toString('hex');
}

const HASH_BYTES = Buffer.alloc(8);

/** Adds a text and 0xFF to the hash, which has a high and a low half; with `isBytes` each unit is a byte. */
function feedText(hash: Int32Array, text: string, isBytes = false): void {
  let high = hash[0] as number;
  let low = hash[1] as number;
  for (let index = 0; index <= text.length; index++) {
    const unit = index === text.length ? 0xff : text.charCodeAt(index);
    if (unit > 0x7f && index < text.length && !isBytes) {
      feedText(hash, Buffer.from(text).toString('latin1'), true);
      return;
    }
    // The prime is 2^40 + 0x1b3. Products are kept below 2^31, where they are fast.
    low ^= unit;
    const lower = (low & 0xffff) * 0x1b3;
    const upper = (low >>> 16) * 0x1b3 + (lower >>> 16);
    high = (Math.imul(high, 0x1b3) + (upper >>> 16) + (low << 8)) | 0;
    low = (upper << 16) | (lower & 0xffff);
  }
  hash[0] = high;
  hash[1] = low;
}

// SHA-1 of short texts with the same beginning, at half the cost of node:crypto, whose call costs more than the hash.
// Source: FIPS 180-4, 6.1.

/** A hash that has read the beginning of a text. */
export interface Sha1Start {
  /** After the whole blocks of 64 bytes. */
  readonly digest: Int32Array;
  /** The whole words after them, then the bytes of the last word. */
  readonly words: Int32Array;
  readonly last: number;
  /** In bytes. */
  readonly length: number;
}

const WORDS = new Int32Array(80);
const DIGEST = new Int32Array(5);
const INITIAL = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0);
const NOTHING: Sha1Start = { digest: INITIAL, words: new Int32Array(), last: 0, length: 0 };

/** Reads the beginning of texts; undefined if it is not ASCII. */
export function startSha1(text: string): Sha1Start | undefined {
  const last = read(NOTHING, text);
  if (last === undefined) return undefined;
  const { length } = text;
  return { digest: length < 64 ? INITIAL : DIGEST.slice(), words: WORDS.slice(0, (length >> 2) % 16), last, length };
}

/** The SHA-1 of a text, as five words that are valid until the next call; undefined if its rest is not ASCII. */
export function endSha1(start: Sha1Start, rest: string): Int32Array | undefined {
  const last = read(start, rest);
  if (last === undefined) return undefined;
  const length = start.length + rest.length;
  let words = (length >> 2) % 16;
  // A one bit, zeros, and the length in bits.
  WORDS[words++] = ((last << 8) | 0x80) << ((3 - (length & 3)) * 8);
  if (words > 14) {
    while (words < 16) WORDS[words++] = 0;
    digestBlock();
    words = 0;
  }
  while (words < 15) WORDS[words++] = 0;
  WORDS[15] = length * 8;
  digestBlock();
  return DIGEST;
}

/** Leaves in DIGEST and WORDS the digest of all whole blocks and the words after them; returns the bytes of the last word. */
function read({ digest, words: before, last: lastBefore, length }: Sha1Start, text: string): number | undefined {
  // Loops, as copying by set() costs as much as half a block.
  for (let i = 0; i < 5; i++) DIGEST[i] = digest[i] as number;
  for (let i = 0; i < before.length; i++) WORDS[i] = before[i] as number;
  let words = before.length;
  let last = lastBefore;
  const end = length + text.length;
  for (let at = length; at < end; at++) {
    const code = text.charCodeAt(at - length);
    if (code > 0x7f) return undefined;
    last = (last << 8) | code;
    if ((at & 3) !== 3) continue;
    WORDS[words++] = last;
    if (words === 16) {
      digestBlock();
      words = 0;
    }
  }
  return last;
}

const choose = (b: number, c: number, d: number): number => d ^ (b & (c ^ d));
const parity = (b: number, c: number, d: number): number => c ^ d ^ b;
const majority = (b: number, c: number, d: number): number => (c & d) | (b & (c | d));
const rotate30 = (b: number): number => (b << 30) | (b >>> 2);
const word = (index: number): number => WORDS[index] as number;

/** `constant` is signed: with a larger one V8 would leave 32 bits. */
function step(a: number, mixed: number, e: number, index: number, constant: number): number {
  return (e + word(index) + constant + mixed + ((a << 5) | (a >>> 27))) | 0;
}

/** Makes 80 words of the first 16. */
function expandBlock(): void {
  for (let i = 16; i < 80; i++) {
    const mixed = word(i - 16) ^ word(i - 14) ^ word(i - 8) ^ word(i - 3);
    WORDS[i] = (mixed << 1) | (mixed >>> 31);
  }
}

/** Adds the first 16 words to the digest. */
function digestBlock(): void {
  expandBlock();
  let a = DIGEST[0] as number;
  let b = DIGEST[1] as number;
  let c = DIGEST[2] as number;
  let d = DIGEST[3] as number;
  let e = DIGEST[4] as number;
  let next = 0;
  for (let i = 0; i < 20; i++) {
    next = step(a, choose(b, c, d), e, i, 0x5a827999);
    e = d;
    d = c;
    c = rotate30(b);
    b = a;
    a = next;
  }
  for (let i = 20; i < 40; i++) {
    next = step(a, parity(b, c, d), e, i, 0x6ed9eba1);
    e = d;
    d = c;
    c = rotate30(b);
    b = a;
    a = next;
  }
  for (let i = 40; i < 60; i++) {
    next = step(a, majority(b, c, d), e, i, -0x70e44324);
    e = d;
    d = c;
    c = rotate30(b);
    b = a;
    a = next;
  }
  for (let i = 60; i < 80; i++) {
    next = step(a, parity(b, c, d), e, i, -0x359d3e2a);
    e = d;
    d = c;
    c = rotate30(b);
    b = a;
    a = next;
  }
  DIGEST[0] = (DIGEST[0] as number) + a;
  DIGEST[1] = (DIGEST[1] as number) + b;
  DIGEST[2] = (DIGEST[2] as number) + c;
  DIGEST[3] = (DIGEST[3] as number) + d;
  DIGEST[4] = (DIGEST[4] as number) + e;
}

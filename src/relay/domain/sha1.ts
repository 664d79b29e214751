// SHA-1 of short texts with the same beginning, at less than half the cost of node:crypto, whose call costs more than the hash.
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

const WORDS = new Int32Array(16);
const DIGEST = new Int32Array(5);
const INITIAL = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0);
const NOTHING: Sha1Start = { digest: INITIAL, words: new Int32Array(), last: 0, length: 0 };

/** Reads the beginning of texts; undefined if it is not ASCII, or if this process cannot compile the hash. */
export function startSha1(text: string): Sha1Start | undefined {
  if (!digestBlock) return undefined;
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
    digestBlock?.(WORDS, DIGEST);
    words = 0;
  }
  while (words < 15) WORDS[words++] = 0;
  WORDS[15] = length * 8;
  digestBlock?.(WORDS, DIGEST);
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
      digestBlock?.(WORDS, DIGEST);
      words = 0;
    }
  }
  return last;
}

/** The mixing of words b, c and d, and the constant, of each twenty steps. A constant beyond 2^31 would make V8 leave 32 bits. */
const QUARTERS = [
  { mix: 'd ^ (b & (c ^ d))', constant: '0x5a827999' },
  { mix: 'b ^ c ^ d', constant: '0x6ed9eba1' },
  { mix: '(c & d) | (b & (c | d))', constant: '-0x70e44324' },
  { mix: 'b ^ c ^ d', constant: '-0x359d3e2a' },
];

/**
 * The function that adds the first 16 words to the digest, with its 80 steps in line: V8 then keeps digest and words in
 * registers, and takes half the time of loops.
 */
function printDigestBlock(): string {
  const lines = ['let a = digest[0], b = digest[1], c = digest[2], d = digest[3], e = digest[4];'];
  for (let i = 0; i < 16; i++) lines.push(`let w${i} = words[${i}];`);
  for (let i = 0; i < 80; i++) {
    const word = `w${i % 16}`;
    if (i >= 16) {
      lines.push(`${word} ^= w${(i - 14) % 16} ^ w${(i - 8) % 16} ^ w${(i - 3) % 16};`);
      lines.push(`${word} = (${word} << 1) | (${word} >>> 31);`);
    }
    // Each step moves the names on by one instead of the values.
    const name = (letter: string) => 'abcde'.charAt(('abcde'.indexOf(letter) + 80 - i) % 5);
    const { mix, constant } = QUARTERS[Math.floor(i / 20)] as (typeof QUARTERS)[number];
    const step = `e = (e + ${word} + ${constant} + (${mix}) + ((a << 5) | (a >>> 27))) | 0; b = (b << 30) | (b >>> 2);`;
    lines.push(step.replace(/\b[a-e]\b/g, name));
  }
  lines.push('digest[0] += a; digest[1] += b; digest[2] += c; digest[3] += d; digest[4] += e;');
  return lines.join('\n');
}

/** Undefined in a process that makes no code of texts (`node --disallow-code-generation-from-strings`). */
function compileDigestBlock(): ((words: Int32Array, digest: Int32Array) => void) | undefined {
  try {
    return new Function('words', 'digest', printDigestBlock()) as ReturnType<typeof compileDigestBlock>;
  } catch {
    return undefined;
  }
}

const digestBlock = compileDigestBlock();

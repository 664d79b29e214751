import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'odr_';
const RANDOM_LENGTH = 40;
const CHECKSUM_LENGTH = 6;
const SHAPE = /^odr_([0-9A-Za-z]{40})([0-9A-Za-z]{6})$/;
/** The length of the prefix that is shown later. */
const SHOWN_LENGTH = 8;

/** A token's secret: `odr_`, 40 random base62 digits (238 bits), and a checksum of 6 digits. */
export function makeTokenSecret(random: (size: number) => Uint8Array = randomBytes): string {
  const text = randomDigits(RANDOM_LENGTH, random);
  return `${PREFIX}${text}${checksumOf(text)}`;
}

/** `mistyped`: the checksum does not fit. */
export function inspectTokenSecret(text: string): 'whole' | 'mistyped' | 'foreign' {
  if (!text.startsWith(PREFIX)) return 'foreign';
  const [, digits = '', checksum] = SHAPE.exec(text) ?? [];
  return checksum !== undefined && checksumOf(digits) === checksum ? 'whole' : 'mistyped';
}

/** SHA-256 in hex: a secret of that many bits needs no slow hash. */
export function hashTokenSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

export const shownPrefix = (secret: string): string => secret.slice(0, SHOWN_LENGTH);

/** A new secret, and what is stored of it. */
export function newSecret(): { readonly secret: string; readonly hash: string; readonly prefix: string } {
  const secret = makeTokenSecret();
  return { secret, hash: hashTokenSecret(secret), prefix: shownPrefix(secret) };
}

function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = `${DIGITS[rest % 62]}${digits}`;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** Bytes of 248 and more are dropped, so that every digit is equally likely. */
function randomDigits(length: number, random: (size: number) => Uint8Array): string {
  let digits = '';
  while (digits.length < length) {
    for (const byte of random(2 * length)) if (byte < 248 && digits.length < length) digits += DIGITS[byte % 62];
  }
  return digits;
}

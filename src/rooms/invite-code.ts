import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const LENGTH = 22;
/** The largest multiple of 62 below 256: higher bytes would make some letters more likely. */
const FAIR = 248;

/** 22 random characters of base62: 131 bits. */
export function newInviteCode(random: (size: number) => Uint8Array = randomBytes): string {
  let code = '';
  while (code.length < LENGTH)
    for (const byte of random(LENGTH)) if (byte < FAIR && code.length < LENGTH) code += ALPHABET[byte % 62];
  return code;
}

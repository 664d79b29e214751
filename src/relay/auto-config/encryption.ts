import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts with the SHA-256 of the secret: nonce, text, tag. Source: ld-relay's internal/autoconfigcache. */
export function encrypt(text: string, secret: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, keyOf(secret), nonce);
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
}

/** Throws for another secret, and for bytes that have been changed. */
export function decrypt(bytes: Buffer, secret: string): string {
  const end = bytes.length - TAG_BYTES;
  if (end < NONCE_BYTES) throw new Error('it is too short');
  const decipher = createDecipheriv(ALGORITHM, keyOf(secret), bytes.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(bytes.subarray(end));
  return decipher.update(bytes.subarray(NONCE_BYTES, end), undefined, 'utf8') + decipher.final('utf8');
}

function keyOf(secret: string): Buffer {
  return createHash('sha256').update(secret.trim()).digest();
}

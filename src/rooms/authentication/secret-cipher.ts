import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError, ExitCode, messageOf, systemCodeOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { readPrivateFile } from '../../kernel/storage/private-file.ts';
import type { SecretSealer } from '../domain/copilot/change.ts';
import type { Secret } from '../domain/copilot/copilot.ts';

const KEY_FILE = 'secret.key';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts the keys of models and the secrets of hooks in the database. */
export interface SecretCipher extends SecretSealer {
  /** `undefined`: sealed with another key, or damaged. */
  open(owner: string, secret: Secret): string | undefined;
}

/** AES-256-GCM under a key derived from `secretKey`. */
export function createSecretCipher(secretKey: string): SecretCipher {
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', 'opsdeck rooms secrets', 32));
  const bind = (owner: string, origin: string) => Buffer.from(JSON.stringify([owner, origin]));
  return {
    seal(owner, plain, origin) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(bind(owner, origin));
      const parts = [nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()];
      return { sealed: Buffer.concat(parts).toString('base64'), origin };
    },
    open(owner, { sealed, origin }) {
      const bytes = Buffer.from(sealed, 'base64');
      if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(bind(owner, origin))
        .setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8');
        return text + decipher.final('utf8');
      } catch {
        return undefined;
      }
    },
  };
}

/** The key in the data directory, readable by its owner alone; created where it is missing. */
export function loadSecretKey(directory: string): string {
  const path = join(directory, KEY_FILE);
  try {
    const found = readPrivateFile(path).toString().trim();
    if (found === '') throw new Error('it is empty');
    return found;
  } catch (error) {
    if (systemCodeOf(error) !== 'ENOENT') throw unusable(path, error);
  }
  const made = randomBytes(32).toString('base64');
  try {
    const descriptor = openSync(path, 'wx', 0o600);
    writeSync(descriptor, `${made}\n`);
    // A key lost in a power failure would lose all that it sealed.
    fsyncSync(descriptor);
    closeSync(descriptor);
  } catch (error) {
    throw unusable(path, error);
  }
  return made;
}

/** Warns after a change or loss of the key, before the first secret is needed. */
export function warnOfClosedSecrets(cipher: SecretCipher, secrets: ReadonlyMap<string, Secret>, log: Log): void {
  const count = [...secrets].filter(([owner, secret]) => cipher.open(owner, secret) === undefined).length;
  if (count === 0) return;
  const remedy = `start with the previous OPSDECK_SECRET_KEY, or the previous ${KEY_FILE} and no variable; or enter the keys of copilots again and rotate the secrets of hooks`;
  log.warn(`stored secrets cannot be decrypted with this secret key: ${remedy}`, { count });
}

function unusable(path: string, error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  return new CommandError(
    `cannot use ${path}, by which stored keys are encrypted: ${messageOf(error)}; put the right one in its place, or set OPSDECK_SECRET_KEY`,
    ExitCode.failed,
    { cause: error },
  );
}

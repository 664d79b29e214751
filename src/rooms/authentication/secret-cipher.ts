import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError, ExitCode, messageOf, systemCodeOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { readPrivateFile } from '../../kernel/storage/private-file.ts';
import { KEY_NAME } from '../contract/backup.ts';
import { type ClosedSecret, printClosed } from '../domain/closed-secret.ts';
import type { SecretSealer } from '../domain/copilot/change.ts';
import type { Secret } from '../domain/copilot/copilot.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** The most secrets that a warning names; /health names all. */
const MAX_NAMED = 50;

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

/** The key in a data directory or backup, if it has one. */
export function readSecretKey(directory: string): string | undefined {
  const path = join(directory, KEY_NAME);
  try {
    const found = readPrivateFile(path).toString().trim();
    if (found === '') throw new Error('it is empty');
    return found;
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw unusable(path, error);
  }
}

/** The key in the data directory, readable by its owner alone; created where it is missing. */
export function loadSecretKey(directory: string): string {
  const found = readSecretKey(directory);
  if (found !== undefined) return found;
  const made = randomBytes(32).toString('base64');
  writeSecretKey(directory, made);
  return made;
}

/** Creates the file of the key; it must not exist. */
export function writeSecretKey(directory: string, key: string): void {
  const path = join(directory, KEY_NAME);
  try {
    const descriptor = openSync(path, 'wx', 0o600);
    writeSync(descriptor, `${key}\n`);
    // A key lost in a power failure would lose all that it sealed.
    fsyncSync(descriptor);
    closeSync(descriptor);
  } catch (error) {
    throw unusable(path, error);
  }
}

/** Warns after a change or loss of the key, before the first secret is needed. */
export function warnOfClosedSecrets(closed: readonly ClosedSecret[], log: Log): void {
  const count = closed.length;
  if (count === 0) return;
  const secrets = closed.slice(0, MAX_NAMED).map(printClosed).join(', ');
  const remedy = `start with the previous OPSDECK_SECRET_KEY, or the previous ${KEY_NAME} and no variable; or enter the keys of copilots again and rotate the secrets of hooks`;
  log.warn(`stored secrets cannot be decrypted with this secret key: ${remedy}`, { count, secrets });
}

function unusable(path: string, error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  return new CommandError(
    `cannot use ${path}, by which stored keys are encrypted: ${messageOf(error)}; put the right one in its place, or set OPSDECK_SECRET_KEY`,
    ExitCode.failed,
    { cause: error },
  );
}

import { randomBytes } from 'node:crypto';
import { CommandError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { Postgres } from '../../kernel/postgres/postgres.ts';
import { createSecretCipher } from '../authentication/secret-cipher.ts';

interface KeyRow {
  /** The key itself, where no OPSDECK_SECRET_KEY was given. */
  readonly key: string | null;
  readonly proof: string;
}

/** Of nodes that start at once, the first one's row is that of all. */
const AGREE = `
  INSERT INTO opsdeck.room_key (key, proof) VALUES ($1, $2)
  ON CONFLICT (is_only) DO UPDATE SET proof = room_key.proof RETURNING key, proof`;
const FORGET = 'UPDATE opsdeck.room_key SET key = NULL';

const OWNER = 'opsdeck.room_key';
const PLAIN = 'opsdeck';

/**
 * The key of stored secrets on all nodes: the given one, of which the database gets only a proof, or one made and kept there. A
 * CommandError if the nodes have another one.
 */
export async function agreeOnSecretKey(postgres: Postgres, given: string | undefined, log: Log): Promise<string> {
  const offered = given ?? randomBytes(32).toString('base64');
  const [row] = await postgres.query<KeyRow>(AGREE, [given === undefined ? offered : null, proofOf(offered)]);
  const { key, proof } = row as KeyRow;
  if (given === undefined) {
    if (key === null)
      throw new CommandError(
        'the nodes of this database encrypt stored secrets with OPSDECK_SECRET_KEY: set it as on the other nodes',
      );
    log.warn(
      'the key of stored secrets lies in the database, and thus in its backups: to keep it elsewhere, set OPSDECK_SECRET_KEY on all nodes to what "SELECT key FROM opsdeck.room_key" shows',
    );
    return key;
  }
  if (!isProven(given, proof)) throw new CommandError(differs(key !== null));
  if (key !== null) await postgres.query(FORGET);
  return given;
}

/** The row of a key, for a database without secrets: the key itself unless it was given, and its proof. */
export const SET_KEY = `
  INSERT INTO opsdeck.room_key (key, proof) VALUES ($1, $2)
  ON CONFLICT (is_only) DO UPDATE SET key = excluded.key, proof = excluded.proof`;

/** A text that the right key opens. */
export function proofOf(key: string): string {
  return createSecretCipher(key).seal(OWNER, PLAIN, '').sealed;
}

function isProven(key: string, proof: string): boolean {
  return createSecretCipher(key).open(OWNER, { sealed: proof, origin: '' }) === PLAIN;
}

function differs(isStored: boolean): string {
  const remedy = isStored
    ? 'leave it out, or set it to what "SELECT key FROM opsdeck.room_key" shows'
    : 'set it as on the other nodes';
  return `OPSDECK_SECRET_KEY is not the key with which the nodes of this database encrypt stored secrets: ${remedy}`;
}

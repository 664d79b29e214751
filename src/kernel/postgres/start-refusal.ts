import { CommandError } from '../errors.ts';
import { type ConnectionTarget, printTarget } from './connection-url.ts';
import { isAwayAnswer, isReadOnly, reasonOf, StorageAwayError, sqlStateOf } from './storage-error.ts';

/** Node's and OpenSSL's codes for a certificate that is not accepted. */
const CERTIFICATE = /CERT|^ERR_(TLS|SSL)|^UNABLE_TO_/;

/** Why waiting for the database is useless, as the one line that a command ends with; undefined if it may come yet. */
export function refusalOf(error: unknown, target: ConnectionTarget): CommandError | undefined {
  if (error instanceof CommandError) return error;
  const cause = error instanceof StorageAwayError && error.cause !== undefined ? error.cause : error;
  const sentence = sentenceOf(cause, target);
  return sentence === undefined ? undefined : new CommandError(sentence, undefined, { cause });
}

function sentenceOf(error: unknown, target: ConnectionTarget): string | undefined {
  const { user, database } = target;
  const place = `PostgreSQL at ${printTarget(target)}`;
  const reason = reasonOf(error);
  if (isReadOnly(error)) return `${place} is read-only: name the address of the primary in the storage URL`;
  switch (sqlStateOf(error)) {
    case '28P01':
      return `${place} refuses the password of user ${user}: correct it in the storage URL, PGPASSWORD or ~/.pgpass`;
    case '28000':
      return `${place} does not admit user ${user} (${reason}): correct the storage URL, or pg_hba.conf on the server`;
    case '3D000':
      return `${place} has no such database: correct the storage URL, or run CREATE DATABASE "${database}"`;
    case '42501':
      return `${place} gives user ${user} too few rights (${reason}): GRANT CONNECT, CREATE ON DATABASE "${database}" TO "${user}", which must also own what is in the schema opsdeck`;
  }
  if (/password must be/.test(reason)) {
    return `${place} wants a password of user ${user}: give it in the storage URL, PGPASSWORD, or ~/.pgpass (readable by its owner alone)`;
  }
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string' && CERTIFICATE.test(code)) {
    return `the certificate of ${place} is not accepted (${reason}): correct sslmode or sslrootcert in the storage URL`;
  }
  if (/does not support SSL/.test(reason)) {
    return `${place} has no TLS: set sslmode=prefer in the storage URL, or switch it on at the server`;
  }
  const state = sqlStateOf(error);
  const mayCome = state === undefined || isAwayAnswer(error) || state.startsWith('08') || state.startsWith('53');
  return mayCome ? undefined : `${place} cannot be used: ${reason}`;
}

import type { Database } from '../../../kernel/storage/database.ts';
import { createSecretCipher, readSecretKey } from '../../authentication/secret-cipher.ts';
import { type ClosedSecret, closedSecrets } from '../../domain/closed-secret.ts';
import type { RecordKind, Records } from '../../domain/record.ts';
import { parse } from './store-checks.ts';

/** The stored secrets of a data directory that cannot be decrypted there; all of them if it has no key. */
export async function closedSecretsIn(
  database: Database,
  directory: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly ClosedSecret[]> {
  const key = env.OPSDECK_SECRET_KEY || readSecretKey(directory);
  const cipher = key === undefined ? undefined : createSecretCipher(key);
  const secrets = await recordsOf(database, 'secret');
  if (secrets.size === 0) return [];
  const named = { hook: await recordsOf(database, 'hook'), room: await recordsOf(database, 'room') };
  return closedSecrets(
    secrets,
    (owner, secret) => cipher?.open(owner, secret) !== undefined,
    (kind, id) => named[kind].get(id) as Records[typeof kind] | undefined,
  );
}

async function recordsOf<K extends RecordKind>(database: Database, kind: K): Promise<ReadonlyMap<string, Records[K]>> {
  const rows = await database.query('SELECT key, data FROM record WHERE kind = ?', [kind]);
  return new Map(rows.map(({ key, data }) => [String(key), (parse(String(data)) ?? {}) as unknown as Records[K]]));
}

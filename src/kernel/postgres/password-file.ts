import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** What an entry of the file is chosen by. */
export interface PasswordOwner {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

/**
 * The password of PGPASSFILE or `~/.pgpass`, in libpq's format; undefined without an entry, and as in libpq if others than the
 * owner may read the file.
 */
export function readPasswordFile(owner: PasswordOwner, env: NodeJS.ProcessEnv): string | undefined {
  const path = env.PGPASSFILE || join(homedir(), '.pgpass');
  try {
    if ((statSync(path).mode & 0o077) !== 0) return undefined;
    return findPassword(readFileSync(path, 'utf8'), owner);
  } catch {
    return undefined;
  }
}

/** The first `host:port:database:user:password` that matches, where `*` matches all, and a backslash escapes `:` and itself. */
export function findPassword(text: string, { host, port, database, user }: PasswordOwner): string | undefined {
  const wanted = [host, String(port), database, user];
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('#')) continue;
    const fields = (line.match(/(?:\\.|[^\\:])*(?::|$)/g) ?? []).map((field) => field.replace(/:$/, ''));
    const password = fields[4];
    if (password === undefined) continue;
    const matches = wanted.every(
      (value, index) => fields[index] === '*' || withoutEscapes(fields[index] ?? '') === value,
    );
    if (matches) return withoutEscapes(password);
  }
  return undefined;
}

const withoutEscapes = (field: string) => field.replace(/\\(.)/g, '$1');

import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// PostgreSQL and PgBouncer refuse to run as root.

/** Removed when the process of the tests exits. */
const folders = new Set<string>();
process.once('exit', () => {
  for (const folder of folders) removeFolder(folder);
});

/** The user `postgres`; undefined: the current user is good enough. */
function ordinaryUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const [, uid, gid] = /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8')) ?? [];
  if (!uid || !gid) throw new Error('there is no user postgres: apt-get install postgresql');
  return { uid: Number(uid), gid: Number(gid) };
}

/** A command line that runs as a user who is not root, and on Linux ends with this process. */
export function asOrdinaryUser(command: string, args: readonly string[]): readonly [string, readonly string[]] {
  if (process.platform !== 'linux') return [command, args];
  const user = ordinaryUser();
  const identity = user ? [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'] : [];
  return ['setpriv', ['--pdeathsig=KILL', ...identity, '--', command, ...args]];
}

/** A temporary folder of that user, removed at the end of this process. */
export function ordinaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'opsdeck-pg-'));
  folders.add(folder);
  const user = ordinaryUser();
  if (user) chownSync(folder, user.uid, user.gid);
  return folder;
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  folders.delete(folder);
}

/** Writes a file that only that user reads, and returns its path. */
export function addPrivateFile(folder: string, name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o600 });
  const user = ordinaryUser();
  if (user) chownSync(path, user.uid, user.gid);
  return path;
}

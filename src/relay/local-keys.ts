import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import * as v from 'valibot';
import type { Variables } from '../kernel/settings/settings.ts';
import { readRegularFileSync } from '../kernel/storage/regular-file.ts';

const keysSchema = v.object({
  sdkKey: v.pipe(v.string(), v.regex(/^sdk-[\da-f]{32}$/)),
  mobileKey: v.pipe(v.string(), v.regex(/^mob-[\da-f]{32}$/)),
  envId: v.pipe(v.string(), v.regex(/^[\da-f]{24}$/)),
});

/** Credentials for flag files without a configured environment. */
export type LocalKeys = Readonly<v.InferOutput<typeof keysSchema>>;

const OTHERS = 0o077;

/** This user's keys on this machine; undefined if missing, invalid or readable by other users. */
export function readLocalKeys(variables: Variables): LocalKeys | undefined {
  const path = pathIn(variables);
  if (path === undefined) return undefined;
  try {
    if ((statSync(path).mode & OTHERS) !== 0) return undefined;
    return v.parse(keysSchema, JSON.parse(readRegularFileSync(path)));
  } catch {
    return undefined;
  }
}

/**
 * The same keys, created at first use: web pages and other users cannot guess them, and keys pasted into a program stay
 * valid after a restart. If the file cannot be written, they are new each time.
 */
export function openLocalKeys(variables: Variables): LocalKeys {
  const known = readLocalKeys(variables);
  if (known) return known;
  const keys = makeLocalKeys();
  const path = pathIn(variables);
  if (path === undefined) return keys;
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(draft, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  } catch {
    return keys;
  }
  try {
    if (createFrom(draft, path)) return keys;
    // Created meanwhile by another relay, or unusable.
    const others = readLocalKeys(variables);
    if (others) return others;
    renameSync(draft, path);
    return keys;
  } catch {
    return keys;
  } finally {
    rmSync(draft, { force: true });
  }
}

export function makeLocalKeys(): LocalKeys {
  const random = (bytes: number) => randomBytes(bytes).toString('hex');
  return { sdkKey: `sdk-${random(16)}`, mobileKey: `mob-${random(16)}`, envId: random(12) };
}

/** Links the draft to its final path; false if that exists. */
function createFrom(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch {
    return false;
  }
}

/** Source: the XDG base directory specification, which ignores a path that is not absolute. */
function pathIn({ XDG_STATE_HOME, HOME }: Variables): string | undefined {
  const base = XDG_STATE_HOME && isAbsolute(XDG_STATE_HOME) ? XDG_STATE_HOME : HOME && join(HOME, '.local', 'state');
  return base ? join(base, 'opsdeck', 'relay-keys.json') : undefined;
}

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

/** What SDKs show for the flags of files. */
export type LocalKeys = Readonly<v.InferOutput<typeof keysSchema>>;

const OTHERS = 0o077;

/** The keys of this user on this machine, if there are any that nobody else can read. */
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
 * The same, made when they are first asked for: a page or another user cannot guess them, and what a person has pasted
 * into a program still holds after a restart. Where no file can be kept they are new each time.
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
    if (keep(draft, path)) return keys;
    // Another relay was faster, unless what lies there is of no use.
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

/** False: the name is taken. */
function keep(draft: string, path: string): boolean {
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

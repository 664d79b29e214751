import { randomBytes } from 'node:crypto';
import { watch } from 'node:fs';
import { link, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../../kernel/clock.ts';
import { systemCodeOf } from '../../kernel/errors.ts';

/** A write takes milliseconds: an older lock is stale. */
const STALE_MS = 30_000;
const RETRY_MS = 25;

/**
 * Runs `action` under a lock on this path: the server and commands that change the file directly exclude each other.
 * Throws if the lock is not free within 40 s.
 */
export async function withLock<T>(path: string, clock: Clock, action: () => Promise<T>): Promise<T> {
  await mkdir(dirname(path), { recursive: true });
  const holder = `${process.pid} ${randomBytes(6).toString('hex')}\n`;
  const givenUpAt = clock.now() + STALE_MS + 10_000;
  while (!(await take(path, holder))) {
    if (clock.now() > givenUpAt) throw new Error(`${path} is held by another process; remove it if there is none`);
    await removeStale(path, clock.now());
    await changeIn(dirname(path), clock);
  }
  try {
    return await action();
  } finally {
    await rm(path, { force: true });
  }
}

/** Waits until a folder changes, or for a moment. With the clock's timers alone a command would exit here. */
function changeIn(folder: string, clock: Clock): Promise<void> {
  return new Promise((resolve, reject) => {
    const watcher = watch(folder);
    const end = () => {
      cancel();
      watcher.close();
      resolve();
    };
    const cancel = clock.after(RETRY_MS, end);
    watcher.once('change', end);
    watcher.once('error', (error) => {
      cancel();
      reject(error);
    });
  });
}

/** The lock appears with its holder in it. */
async function take(path: string, holder: string): Promise<boolean> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    const file = await open(draft, 'wx', 0o600);
    await file.writeFile(holder).finally(() => file.close());
    await link(draft, path);
    return true;
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function removeStale(path: string, now: number): Promise<void> {
  const [holder, found] = await Promise.all([readFile(path, 'utf8'), stat(path)]).catch(() => []);
  if (holder === undefined || found === undefined) return;
  const isHeld = isAlive(Number.parseInt(holder, 10)) && now - found.mtimeMs < STALE_MS;
  if (isHeld) return;
  // Two processes may find it stale; the second must not remove the new lock of the first.
  const aside = `${path}.${randomBytes(6).toString('hex')}`;
  await rename(path, aside).catch(() => {});
  if ((await readFile(aside, 'utf8').catch(() => holder)) !== holder) await link(aside, path).catch(() => {});
  await rm(aside, { force: true });
}

function isAlive(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCodeOf(error) === 'EPERM';
  }
}

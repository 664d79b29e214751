import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cleanup, RunningServer } from './processes.ts';

// Only on Linux, where control groups of version 1 may be made.

const ROOT = '/sys/fs/cgroup/cpu';
const PROCESSES = 'cgroup.procs';
const THREADS = 'tasks';
/** Short, so that a thread that has used its share is back soon. */
const PERIOD_US = 10_000;

/** Names of JavaScript threads. */
const SCRIPT_THREADS = /^(MainThread|WorkerThread)$/m;

type Limited = Pick<RunningServer, 'pid'>;

/** Gives a process a share of one processor, in percent, as if on a small machine of its own, until the end of the test. */
export function limitProcessor(t: Cleanup, server: Limited, percent: number): void {
  limitProcess(t, server, percent, []);
}

/**
 * Gives a process several such processors, of which a JavaScript thread gets at most one; `percent` is the share of each. To
 * be called when all threads have started.
 */
export function limitProcessors(t: Cleanup, server: Limited, processors: number, percent: number): void {
  const threads = readdirSync(`/proc/${server.pid}/task`).filter((thread) =>
    SCRIPT_THREADS.test(readFileSync(`/proc/${server.pid}/task/${thread}/comm`, 'utf8')),
  );
  const group = limitProcess(t, server, processors * percent, threads);
  for (const thread of threads) {
    const own = join(group, thread);
    makeGroup(own, percent);
    writeFileSync(join(own, THREADS), thread);
  }
}

function limitProcess(t: Cleanup, { pid }: Limited, percent: number, subgroups: readonly string[]): string {
  if (!existsSync(join(ROOT, 'cpu.cfs_quota_us')))
    throw new Error(`no processor quotas here: ${ROOT} is no control group of version 1`);
  const group = join(ROOT, `opsdeck-${process.pid}-${pid}`);
  makeGroup(group, percent);
  t.after(() => {
    // With all its threads.
    writeFileSync(join(ROOT, PROCESSES), String(pid));
    for (const subgroup of subgroups) rmdirSync(join(group, subgroup));
    rmdirSync(group);
  });
  writeFileSync(join(group, PROCESSES), String(pid));
  return group;
}

function makeGroup(group: string, percent: number): void {
  mkdirSync(group);
  writeFileSync(join(group, 'cpu.cfs_period_us'), String(PERIOD_US));
  writeFileSync(join(group, 'cpu.cfs_quota_us'), String((PERIOD_US * percent) / 100));
}

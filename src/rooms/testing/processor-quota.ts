import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cleanup } from '../../testing/processes.ts';

/** Of control groups of version 1. */
const ROOT = '/sys/fs/cgroup/cpu';
const PROCESSES = 'cgroup.procs';
/** Short, so that a process that has used its share is back soon. */
const PERIOD_US = 10_000;

/**
 * Gives a process a share of one processor, in percent, as if on a small machine of its own, until the end of the test. Only on
 * Linux, where control groups of version 1 may be made.
 */
export function limitProcessor(t: Cleanup, { pid }: { readonly pid: number }, percent: number): void {
  if (!existsSync(join(ROOT, 'cpu.cfs_quota_us')))
    throw new Error(`no processor quotas here: ${ROOT} is no control group of version 1`);
  const group = join(ROOT, `opsdeck-${process.pid}-${pid}`);
  mkdirSync(group);
  t.after(() => {
    writeFileSync(join(ROOT, PROCESSES), String(pid));
    rmdirSync(group);
  });
  writeFileSync(join(group, 'cpu.cfs_period_us'), String(PERIOD_US));
  writeFileSync(join(group, 'cpu.cfs_quota_us'), String((PERIOD_US * percent) / 100));
  writeFileSync(join(group, PROCESSES), String(pid));
}

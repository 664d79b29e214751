import { readFileSync } from 'node:fs';
import { childrenOf } from './processes.ts';

/** Of /proc/PID/stat, counted after the name. */
const OWN = [11, 12];
/** With the children that have ended. */
const ALL = [11, 12, 13, 14];

/** Processor time of a process in milliseconds, in steps of 10. Only on Linux. */
export function cpuOf({ pid }: { readonly pid: number }): number {
  return timeOf(pid, OWN);
}

/** With its children, also those that have ended. */
export function cpuOfTree({ pid }: { readonly pid: number }): number {
  return childrenOf(pid).reduce((sum, child) => sum + cpuOfChild(child), timeOf(pid, ALL));
}

/** 0 once it has ended: then it counts with its parent. */
function cpuOfChild(pid: number): number {
  try {
    return cpuOfTree({ pid });
  } catch {
    return 0;
  }
}

function timeOf(pid: number, fields: readonly number[]): number {
  const values = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ', 2)[1]?.split(' ') ?? [];
  return fields.reduce((sum, field) => sum + Number(values[field]), 0) * 10;
}

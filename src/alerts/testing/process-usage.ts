import { readFileSync } from 'node:fs';
import { childrenOf, memoryOf } from '../../testing/processes.ts';

/** A server with all that it has started. */
const processesOf = (pid: number) => [pid, ...childrenOf(pid)];

/** Linux counts processor time in hundredths of a second, on every architecture. */
const TICK_MS = 10;

/** Processor time that a server has used so far, user and system, in milliseconds. */
export function processorMs(pid: number): number {
  return processesOf(pid).reduce((sum, one) => {
    const fields = readFileSync(`/proc/${one}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return sum + (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  }, 0);
}

/** Resident memory of a server in MB; memory that its processes share counts in each. */
export function memoryMb(pid: number): number {
  return processesOf(pid).reduce((sum, one) => sum + (memoryOf(one)?.rss ?? Number.NaN), 0) / 2 ** 20;
}

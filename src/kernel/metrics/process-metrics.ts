import { readdirSync, readFileSync } from 'node:fs';

/** A number of this process from the operating system; `read` may throw. */
export interface ProcessNumber {
  readonly name: string;
  readonly help: string;
  readonly read: () => number;
}

/** Under the names of Prometheus' own client libraries; some exist only on Linux. Source: proc(5). */
export function processNumbers(startedAt: number): readonly ProcessNumber[] {
  return process.platform === 'linux' ? [...everywhere(startedAt), ...ON_LINUX] : everywhere(startedAt);
}

const everywhere = (startedAt: number): readonly ProcessNumber[] => [
  {
    name: 'process_start_time_seconds',
    help: 'When the process started, in seconds since 1970.',
    read: () => startedAt / 1000,
  },
  {
    name: 'process_resident_memory_bytes',
    help: 'The memory that the process holds.',
    read: () => process.memoryUsage.rss(),
  },
];

const ON_LINUX: readonly ProcessNumber[] = [
  {
    name: 'process_virtual_memory_bytes',
    help: 'The addresses that the process has asked for.',
    read: () => fieldOf('/proc/self/status', /^VmSize:\s+(\d+) kB$/m) * 1024,
  },
  {
    name: 'process_open_fds',
    help: 'Open file descriptors.',
    // Reading the directory opens one more.
    read: () => readdirSync('/proc/self/fd').length - 1,
  },
  {
    name: 'process_max_fds',
    help: 'How many file descriptors may be open.',
    read: () => fieldOf('/proc/self/limits', /^Max open files\s+(\d+)/m),
  },
];

function fieldOf(path: string, field: RegExp): number {
  return Number(field.exec(readFileSync(path, 'latin1'))?.[1]);
}

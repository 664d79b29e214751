import { readFileSync, readlinkSync } from 'node:fs';
import { eventually } from './eventually.ts';

/** The numbers of write and writev on Linux. Source: asm/unistd.h. */
const WRITES: Readonly<Partial<Record<NodeJS.Architecture, readonly number[]>>> = { x64: [1, 20], arm64: [64, 66] };

/**
 * Stops a process where it is, as a kill would, and tells whether its main thread was writing to a socket: other processes
 * may have had the processor since. False where there is no /proc. Source: proc(5).
 */
export async function freezeInWrite(pid: number): Promise<boolean> {
  process.kill(pid, 'SIGSTOP');
  try {
    await eventually('a stopped process', () => /\) T /.test(readFileSync(`/proc/${pid}/stat`, 'latin1')), {
      everyMs: 1,
    });
    const [call, descriptor] = readFileSync(`/proc/${pid}/syscall`, 'latin1').split(' ');
    if (!WRITES[process.arch]?.includes(Number(call))) return false;
    return readlinkSync(`/proc/${pid}/fd/${Number(descriptor)}`).startsWith('socket:');
  } catch {
    return false;
  }
}

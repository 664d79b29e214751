import { readFileSync } from 'node:fs';
import { eventually } from './eventually.ts';

/** The number of this system call on Linux. Source: asm/unistd.h. */
const WRITEV = { x64: 20, arm64: 66 } as Readonly<Partial<Record<NodeJS.Architecture, number>>>;

/**
 * Stops a process where it is, as a kill would, and tells whether its main thread was in `writev`, with which Node writes
 * to sockets: other processes may have had the processor since. False where there is no /proc. Source: proc(5).
 */
export async function freezeInWrite(pid: number): Promise<boolean> {
  process.kill(pid, 'SIGSTOP');
  try {
    await eventually('a stopped process', () => /\) T /.test(readFileSync(`/proc/${pid}/stat`, 'latin1')), {
      everyMs: 1,
    });
    const [call] = readFileSync(`/proc/${pid}/syscall`, 'latin1').split(' ');
    return Number(call) === WRITEV[process.arch];
  } catch {
    return false;
  }
}

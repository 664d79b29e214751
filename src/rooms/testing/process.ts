import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { eventually } from '../../testing/eventually.ts';
import { type Cleanup, executablePath, temporaryFolder } from '../../testing/processes.ts';

/** The built `opsdeck rooms serve`, as a process. */
export interface RoomsProcess {
  readonly url: string;
  /** The last position of its log at the start. */
  readonly pos: number;
  readonly pid: number;
  readonly stderr: () => string;
  /** Sends a signal; resolves at the end with the code, `null` if a signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>;
  /** The exit code. */
  readonly ended: Promise<number | null>;
}

const READY = /^rooms: listening on (http:\/\/127\.0\.0\.1:\d+) store=\w+ pos=(\d+)$/m;
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts it on a free loopback port, and waits until it is ready; it is killed after the test. */
export async function startRoomsProcess(
  t: Cleanup,
  { folder = temporaryFolder(t), args = [] }: { readonly folder?: string; readonly args?: readonly string[] } = {},
): Promise<RoomsProcess> {
  const storage = args.includes('--storage-url') ? [] : ['--data-dir', join(folder, 'data')];
  const all = [executablePath(), 'rooms', 'serve', '--port', '0', ...storage, ...args];
  const child = spawn(process.execPath, all, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  t.after(() => child.kill('SIGKILL'));
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const ended = (once(child, 'close') as Promise<[number | null]>).then(([code]) => {
    running.delete(child);
    return code;
  });
  const ready = await eventually('a line that the server is ready', () => READY.exec(out) ?? child.exitCode !== null);
  if (ready === true) throw new Error(`it ended with ${child.exitCode}: ${err}`);
  const [, url = '', pos] = ready;
  return {
    url,
    pos: Number(pos),
    pid: child.pid ?? -1,
    stderr: () => err,
    ended,
    end(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

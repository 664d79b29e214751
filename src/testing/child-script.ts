import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import * as esbuild from 'esbuild';
import type { Cleanup, ExitStatus } from './processes.ts';

export interface ChildOptions {
  readonly args?: readonly string[];
  /** Runs the child as this user; only root may. */
  readonly uid?: number;
}

/** A Node process that runs a script of a test. */
export interface Child {
  readonly pid: number;
  /** The next line that it writes; undefined when there will be none. */
  readLine(): Promise<string | undefined>;
  /** Writes a line to its standard input. */
  send(line: string): void;
  kill(signal: NodeJS.Signals): void;
  /** Resolves at its end, with all that it wrote to standard error. */
  readonly end: Promise<ExitStatus & { readonly stderr: string }>;
}

/** Whatever still runs when the tests' process ends ends with it. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * Bundles a TypeScript module that stands in a test, for {@link startChild}. Its imports are relative to `src/kernel`;
 * packages stay outside, so that tests must run from the root of the repository.
 */
export async function bundleScript(source: string): Promise<string> {
  const { outputFiles } = await esbuild.build({
    stdin: { contents: source, resolveDir: 'src/kernel', loader: 'ts' },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

/** Starts a bundled script; whatever it does, it is killed in the end. */
export function startChild(t: Cleanup, script: string, { args = [], uid }: ChildOptions = {}): Child {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script, '--', ...args], {
    stdio: 'pipe',
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  running.add(child);
  child.once('close', () => running.delete(child));
  const end = ended(child);
  t.after(() => {
    child.kill('SIGKILL');
    return end;
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  // It may be gone before it has read all.
  child.stdin.on('error', () => {});
  return {
    pid: child.pid ?? -1,
    readLine: async () => (await lines.next()).value,
    send: (line) => void child.stdin.write(`${line}\n`),
    kill: (signal) => void child.kill(signal),
    end,
  };
}

function ended(child: ChildProcess): Promise<ExitStatus & { readonly stderr: string }> {
  const stderr = child.stderr ? text(child.stderr) : Promise.resolve('');
  return new Promise((done, fail) => {
    child.once('error', fail);
    child.once('close', async (code, signal) => done({ code, signal, stderr: await stderr }));
  });
}

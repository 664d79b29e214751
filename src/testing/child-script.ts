import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import * as esbuild from 'esbuild';
import type { Cleanup, ExitStatus } from './processes.ts';

export interface ChildOptions {
  readonly args?: readonly string[];
  /** Runs the child as this user; requires root. */
  readonly uid?: number;
}

/** A Node process that runs a script of a test. */
export interface Child {
  readonly pid: number;
  /** The next line of its standard output; undefined at its end. */
  readLine(): Promise<string | undefined>;
  /** Writes a line to its standard input. */
  send(line: string): void;
  kill(signal: NodeJS.Signals): void;
  /** Resolves at its exit, with its standard error. */
  readonly end: Promise<ExitStatus & { readonly stderr: string }>;
}

/** Killed when the process of the tests exits. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * Bundles a TypeScript module given as a string, for {@link startChild}. Imports are relative to `src/kernel`; packages are
 * external, so tests must run in the root of the repository.
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

/** Starts a bundled script, killed after the test. */
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
  // The child may exit without reading its input.
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

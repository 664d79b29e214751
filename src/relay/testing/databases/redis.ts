import { type ChildProcess, spawn } from 'node:child_process';
import { type AddressInfo, createServer } from 'node:net';
import type { TestContext } from 'node:test';
import { needsReal, temporaryFolder } from '../../../testing/processes.ts';

/** A redis-server of its own, which keeps its data over restarts. */
export interface TestRedis {
  /** `redis://127.0.0.1:port` */
  readonly url: string;
  readonly port: number;
  /** Kills it at once. */
  kill(): Promise<void>;
  /** Starts it again on the same port, and waits until it is ready. */
  start(): Promise<void>;
  /** Stops it with SIGSTOP: connections hang. */
  pause(): void;
  resume(): void;
}

/** Starts a redis-server on a free port. Undefined if none is installed: the test is skipped. */
export async function startRedis(t: TestContext, settings: readonly string[] = []): Promise<TestRedis | undefined> {
  if (!needsReal(t, 'redis-server', 'redis-server')) return undefined;
  const port = await freePort();
  const folder = temporaryFolder(t);
  let child: ChildProcess | undefined;
  const kill = async () => {
    const ended = child && new Promise((resolve) => child?.once('close', resolve));
    if (!child?.kill('SIGKILL')) return;
    await ended;
    child = undefined;
  };
  const start = async () => {
    const args = ['--port', String(port), '--dir', folder, '--bind', '127.0.0.1'];
    child = spawn('redis-server', [...args, '--appendonly', 'yes', '--appendfsync', 'always', ...settings]);
    await isReady(child);
  };
  await start();
  t.after(kill);
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    kill,
    start,
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
  };
}

function isReady(child: ChildProcess): Promise<void> {
  let output = '';
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => reject(new Error(`redis-server ended: ${output}`)));
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.includes('Ready to accept connections')) resolve();
    });
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

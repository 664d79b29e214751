import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { printTable } from '../../../testing/bench.ts';
import { eventually } from '../../../testing/eventually.ts';
import { type Cleanup, Janitor, type RunningServer } from '../../../testing/processes.ts';
import { startFakeLaunchDarkly } from '../launchdarkly/fake.ts';
import { relayConfigFile, startRelayProcess } from '../process.ts';

/** A server in a child process. */
export type Measured = Pick<RunningServer, 'url' | 'pid'>;

/** Starts the executable with an upstream in this process; `tls`: lines of its configuration. */
export async function startBenchRelay(
  t: Cleanup,
  flags: Readonly<Record<string, unknown>>,
  args: readonly string[] = ['--workers', '1'],
  tls: readonly string[] = [],
) {
  const upstream = await startFakeLaunchDarkly(t, { flags });
  const config = relayConfigFile(t, { upstream: upstream.url, main: tls, events: ['capacity = 1000000'] });
  const relay = await startRelayProcess(t, ['--config', config, ...args]);
  await eventually('data', () => isReady(relay, tls.length > 0), { everyMs: 10 });
  return { upstream, relay };
}

/** The certificate may be unknown. */
async function isReady({ url }: Measured, isTls: boolean): Promise<boolean> {
  const target = { port: new URL(url).port, path: '/readyz', rejectUnauthorized: false };
  const request = (isTls ? https : http).get(target);
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  answer.resume();
  return answer.statusCode === 200;
}

/** In bytes. `resident`: with what all processes share; `own`: without. */
export function memoryUseOf({ pid }: Measured): {
  readonly resident: number;
  readonly proportional: number;
  readonly own: number;
} {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const bytesOf = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1]) * 1024;
  return {
    resident: bytesOf('Rss'),
    proportional: bytesOf('Pss'),
    own: bytesOf('Private_Dirty') + bytesOf('Private_Clean'),
  };
}

/** Runs one measurement and cleans up after it. */
export async function within<T>(measure: (janitor: Janitor) => Promise<T>): Promise<T> {
  process.stderr.write('.');
  const janitor = new Janitor();
  try {
    return await measure(janitor);
  } finally {
    await janitor.clean();
  }
}

export function print(what: string, head: readonly string[], rows: readonly (readonly string[])[]): void {
  process.stderr.write('\n');
  process.stdout.write(`\n${what}\n${printTable(head, rows)}\n`);
}

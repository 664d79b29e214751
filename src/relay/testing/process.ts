import { writeFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Cleanup,
  listeningAddress,
  OPSDECK,
  type RunningServer,
  startServer,
  temporaryFolder,
} from '../../testing/processes.ts';
import { ENV_ID, MOBILE_KEY, SDK_KEY } from './app.ts';

/** Starts the built `opsdeck relay serve` on the loopback; by default on a free port and without worker threads, which double the start time. */
export function startRelayProcess(t: Cleanup, args: readonly string[], port = 0): Promise<RunningServer> {
  return startServer(t, {
    command: OPSDECK[0],
    args: [
      ...[...OPSDECK.slice(1), 'relay', 'serve', '--host', '127.0.0.1', '--port', String(port)],
      ...(args.includes('--workers') ? args : ['--workers', '1', ...args]),
    ],
    cwd: temporaryFolder(t),
    addressIn: listeningAddress,
  });
}

export const portOf = ({ url }: Pick<RunningServer, 'url'>): number => Number(new URL(url).port);

export interface RelayConfig {
  /** URL for streams, polls, goals and events. */
  readonly upstream: string;
  /** Further lines of these sections. */
  readonly main?: readonly string[];
  readonly events?: readonly string[];
  readonly environment?: readonly string[];
}

/** Writes a configuration with one environment, `production`, and `upstream` for all hosts; returns its path. */
export function relayConfigFile(
  t: Cleanup,
  { upstream, main = [], events = [], environment = [] }: RelayConfig,
): string {
  const path = join(temporaryFolder(t), 'relay.conf');
  const lines = [
    '[Main]',
    ...['streamUri', 'baseUri', 'clientSideBaseUri'].map((name) => `${name} = ${upstream}`),
    ...main,
    '[Events]',
    'sendEvents = true',
    `eventsUri = ${upstream}`,
    'flushInterval = 100ms',
    ...events,
    '[Environment "production"]',
    `sdkKey = ${SDK_KEY}`,
    `mobileKey = ${MOBILE_KEY}`,
    `envId = ${ENV_ID}`,
    ...environment,
  ];
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

/** A flag file, saved as editors do: written to a temporary file, then renamed. */
export class FlagFile {
  readonly path: string;

  constructor(t: Cleanup) {
    this.path = join(temporaryFolder(t), 'flags.json');
  }

  async save(flags: Readonly<Record<string, unknown>>): Promise<void> {
    await writeFile(`${this.path}~`, JSON.stringify({ flags }));
    await rename(`${this.path}~`, this.path);
  }
}

export interface StatusAnswer {
  readonly status: 'healthy' | 'degraded';
  readonly environments: Readonly<Record<string, EnvironmentStatus>>;
}

export interface EnvironmentStatus {
  readonly status: 'connected' | 'disconnected';
  readonly connectionStatus: {
    readonly state: string;
    readonly stateSince: number;
    readonly lastError?: { readonly kind: string; readonly time: number };
  };
}

export async function readStatus({ url }: Pick<RunningServer, 'url'>): Promise<StatusAnswer> {
  const answer = await fetch(`${url}/status`);
  return (await answer.json()) as StatusAnswer;
}

// A dashboard on its own port, on an empty project, for tests.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock } from '../../kernel/clock.ts';
import { systemClock } from '../../kernel/clock.ts';
import { createLog } from '../../kernel/log.ts';
import type { Flags } from '../../kernel/settings/settings.ts';
import { PlainClient } from '../../testing/http/client.ts';
import { type Cleanup, temporaryFolder } from '../../testing/processes.ts';
import { loadConfig } from '../config/config.ts';
import type { SETTINGS } from '../config/settings.ts';
import { type OpenAgents, startDashboard } from '../server.ts';

export interface TestDashboard {
  readonly url: string;
  readonly folder: string;
  readonly client: PlainClient;
  /** What was logged. */
  log(): string;
  get(path: string): Promise<{ readonly status: number; readonly json: Record<string, unknown> }>;
}

export interface TestDashboardOptions {
  readonly files?: Readonly<Record<string, string>>;
  readonly variables?: Readonly<Record<string, string>>;
  readonly flags?: Flags<typeof SETTINGS>;
  readonly clock?: Clock;
  readonly openAgents?: OpenAgents;
}

/** Writes files below a folder; names may hold slashes. */
export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

export async function startTestDashboard(t: Cleanup, options: TestDashboardOptions = {}): Promise<TestDashboard> {
  const folder = temporaryFolder(t);
  writeFiles(folder, options.files ?? {});
  const config = loadConfig({ project: folder, port: '0', ...options.flags }, options.variables ?? {});
  if (!config.ok) throw new Error(config.problems.join('\n'));
  let written = '';
  const clock = options.clock ?? systemClock;
  const write = (line: string) => {
    written += line;
  };
  const server = await startDashboard(
    config.value.options,
    clock,
    createLog({ level: 'debug', format: 'logfmt', clock, write }),
    undefined,
    options.openAgents,
  );
  t.after(() => server.close());
  const client = new PlainClient(t, server.url);
  return {
    url: server.url,
    folder,
    client,
    log: () => written,
    get: async (path) => {
      const { status, body } = await client.get(path);
      return { status, json: JSON.parse(body) as Record<string, unknown> };
    },
  };
}

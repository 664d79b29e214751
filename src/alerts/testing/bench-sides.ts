import { join } from 'node:path';
import {
  type Cleanup,
  configFile,
  Janitor,
  type RunningServer,
  startAlertmanager,
  startOpsdeck,
  temporaryFolder,
} from '../../testing/processes.ts';

/** A server that is measured beside others. */
export interface Side {
  readonly name: 'opsdeck' | 'before' | 'Alertmanager';
  readonly start: (t: Cleanup, setup?: SideSetup) => Promise<RunningServer>;
}

export interface SideSetup {
  /** The text of alertmanager.yml; one receiver and long waits unless given. */
  readonly config?: string | undefined;
  /** A folder of its own unless given. */
  readonly storage?: string | undefined;
}

function sideOf(name: Side['name'], start: (t: Cleanup, args: string[]) => Promise<RunningServer>): Side {
  return {
    name,
    start: (t, { config, storage } = {}) =>
      start(t, [
        `--config.file=${configFile(t, config)}`,
        `--storage.path=${storage ?? join(temporaryFolder(t), 'data')}`,
        '--cluster.listen-address=',
      ]),
  };
}

/**
 * The built executable, the real Alertmanager, and an older build where OPSDECK_BENCH_BEFORE names its command, such as
 * `node /tmp/before/opsdeck.js`.
 */
export function benchSides(): readonly Side[] {
  const before = process.env.OPSDECK_BENCH_BEFORE?.split(' ');
  return [
    sideOf('opsdeck', startOpsdeck),
    ...(before ? [sideOf('before', (t, args) => startOpsdeck(t, args, before))] : []),
    sideOf('Alertmanager', (t, args) => startAlertmanager(t, { args })),
  ];
}

/** Calls `measure` for each side in turn, and for each in the opposite order in every second round. */
export async function alternateSides(rounds: number, measure: (side: Side) => Promise<void>): Promise<void> {
  const sides = benchSides();
  for (let round = 0; round < rounds; round++) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      process.stderr.write('.');
      await measure(side);
    }
  }
}

/** The same, with a fresh server of each side. */
export function alternateServers(
  rounds: number,
  measure: (side: Side, server: RunningServer) => Promise<void>,
  setup?: (janitor: Janitor) => SideSetup | Promise<SideSetup>,
): Promise<void> {
  return alternateSides(rounds, async (side) => {
    const janitor = new Janitor();
    try {
      await measure(side, await side.start(janitor, await setup?.(janitor)));
    } finally {
      await janitor.clean();
    }
  });
}

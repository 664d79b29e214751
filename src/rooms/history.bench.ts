// The load of many writers and readers, with their histories checked: `load` on a server that runs
// through, `kill` on one that is killed again and again, `several` on three over PostgreSQL, which are killed as well as it.
import { holdProcess } from '../kernel/clock.ts';
import { bench, describeMachine, isAsked, printTable } from '../testing/bench.ts';
import { startPostgres } from '../testing/postgres.ts';
import { type Cleanup, Janitor } from '../testing/processes.ts';
import { KilledNodes } from './testing/history/killed-nodes.ts';
import { KilledServer } from './testing/history/killed-server.ts';
import { reportOn } from './testing/history/report.ts';
import type { Target } from './testing/history/target.ts';
import type { TrialOptions } from './testing/history/trial.ts';

const LOAD = { rooms: 8, writers: 16, readers: 32 };
const NODE_KILL_MS = 5_000;
/** Minutes of the part with nodes. */
const MINUTES = Number(process.env.OPSDECK_BENCH_MINUTES ?? 1);

interface Part {
  readonly name: string;
  readonly open: (t: Cleanup) => Target | Promise<Target>;
  readonly options: Omit<TrialOptions, 'isRough'>;
}

const PARTS: readonly Part[] = [
  { name: 'load', open: (t) => new KilledServer(t, 3_600_000), options: { ...LOAD, rate: 0, durationMs: 10_000 } },
  // A rate that two processors, which also read everything 16 times, can keep up with: order is measured, not patience.
  { name: 'kill', open: (t) => new KilledServer(t, 2_000), options: { ...LOAD, rate: 500, durationMs: 60_000 } },
  {
    name: 'several',
    open: openNodes,
    options: { rooms: 8, writers: 64, readers: 60, rate: 100, durationMs: MINUTES * 60_000 },
  },
];

/** PostgreSQL is killed twice. */
async function openNodes(t: Cleanup): Promise<Target> {
  const server = await startPostgres(t);
  const url = await server.createDatabase('rooms');
  const kills = (MINUTES * 60_000) / NODE_KILL_MS;
  return new KilledNodes(t, {
    url,
    size: 3,
    everyMs: NODE_KILL_MS,
    postgres: { server, everyKills: Math.floor(kills / 3) },
  });
}

bench('history', async (filters) => {
  const release = holdProcess();
  for (const { name, open, options } of PARTS.filter((part) => isAsked(part.name, filters))) {
    const janitor = new Janitor();
    try {
      const target = await open(janitor);
      const { facts, violations } = await reportOn(target, { ...options, isRough: name !== 'load' });
      const rows = Object.entries(facts).map(([fact, value]) => [fact, String(value)]);
      console.log(`\n## Rooms: ${name}\n\n${describeMachine()}\n\n${printTable([name, ''], rows)}\n`);
      for (const { kind, text } of violations) console.log(`${kind}: ${text}`);
      console.log(`${violations.length} violations`);
    } finally {
      await janitor.clean();
    }
  }
  release();
});

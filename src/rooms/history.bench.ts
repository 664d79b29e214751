// The load of many writers and readers, with their histories checked: `load` on a server that runs
// through, `kill` on one that is killed again and again.
import { holdProcess } from '../kernel/clock.ts';
import { bench, describeMachine, isAsked, printTable } from '../testing/bench.ts';
import { Janitor } from '../testing/processes.ts';
import { KilledServer } from './testing/history/killed-server.ts';
import { reportOn } from './testing/history/report.ts';

const LOAD = { rooms: 8, writers: 16, readers: 32 };
const PARTS = [
  { name: 'load', killEveryMs: 3_600_000, options: { ...LOAD, rate: 0, durationMs: 10_000 } },
  // A rate that two processors, which also read everything 16 times, can keep up with: order is measured, not patience.
  { name: 'kill', killEveryMs: 2_000, options: { ...LOAD, rate: 500, durationMs: 60_000 } },
];

bench('history', async (filters) => {
  const release = holdProcess();
  for (const { name, killEveryMs, options } of PARTS.filter((part) => isAsked(part.name, filters))) {
    const janitor = new Janitor();
    try {
      const target = new KilledServer(janitor, killEveryMs);
      const { facts, violations } = await reportOn(target, { ...options, isRough: name === 'kill' });
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

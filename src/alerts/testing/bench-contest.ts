import { bench, describeMachine, isAsked, printTable } from '../../testing/bench.ts';
import { ALERTMANAGER, runProcess } from '../../testing/processes.ts';

/** Declares a bench of opsdeck beside the real Alertmanager: `rows` are read after its parts have run. */
export function benchBesideAlertmanager(
  name: string,
  parts: Readonly<Record<string, () => Promise<void>>>,
  rows: () => readonly (readonly string[])[],
): void {
  bench(name, async (filters) => {
    const { stderr, stdout } = await runProcess(ALERTMANAGER, ['--version']);
    const version = /version (\S+)/.exec(stdout + stderr)?.[1] ?? 'of unknown version';
    process.stdout.write(`opsdeck ${OPSDECK_VERSION} beside Alertmanager ${version}: medians (least–most)\n`);
    process.stdout.write(`${describeMachine()}\n\n`);
    for (const [part, run] of Object.entries(parts)) {
      if (isAsked(part, filters)) await run();
    }
    process.stderr.write('\n');
    process.stdout.write(`${printTable(['', 'opsdeck', `Alertmanager ${version}`, 'ratio', 'aim'], rows())}\n`);
  });
}

import { bench, describeMachine, printNumber, printSpread, printTable, spreadOf } from '../testing/bench.ts';
import { executablePath, Janitor, runProcess, startOpsdeck } from '../testing/processes.ts';

const RUNS = 15;

interface Start {
  readonly what: string;
  /** The target, in milliseconds. */
  readonly aimMs?: number;
  /** At most this many times as long as Node alone. */
  readonly aimRatio?: number;
  /** Runs it once; gives what ends it, which is not measured. */
  readonly run: () => Promise<() => Promise<void>>;
}

const node =
  (...args: string[]) =>
  async () => {
    const { code, stderr } = await runProcess(process.execPath, args);
    if (code !== 0) throw new Error(`node ${args.join(' ')} ended with ${code}: ${stderr}`);
    return async () => {};
  };

const NODE_ALONE = 'node -e 0, for comparison';

const starts: readonly Start[] = [
  { what: NODE_ALONE, run: node('-e', '0') },
  { what: 'opsdeck --version', aimRatio: 1.4, run: node(executablePath(), '--version') },
  { what: 'opsdeck --help', aimMs: 100, run: node(executablePath(), '--help') },
  { what: 'opsdeck alerts --help', aimMs: 100, run: node(executablePath(), 'alerts', '--help') },
  {
    what: 'opsdeck alerts serve, until it listens',
    aimMs: 150,
    async run() {
      const janitor = new Janitor();
      await startOpsdeck(janitor);
      return () => janitor.clean();
    },
  },
];

bench('startup', async () => {
  console.log(`Start-up of opsdeck ${OPSDECK_VERSION}: medians (least–most) of ${RUNS}`);
  console.log(`${describeMachine()}\n`);
  const samples = new Map(starts.map(({ what }) => [what, [] as number[]]));
  for (let round = -1; round < RUNS; round++) {
    for (const { what, run } of starts) {
      const startedAt = performance.now();
      const end = await run();
      const tookMs = performance.now() - startedAt;
      await end();
      // The first round warms the file cache.
      if (round >= 0) samples.get(what)?.push(tookMs);
    }
  }
  const aloneMs = spreadOf(samples.get(NODE_ALONE) ?? []).median;
  const rows = starts.map(({ what, aimMs, aimRatio }) => {
    const spread = spreadOf(samples.get(what) ?? []);
    const mostMs = aimMs ?? (aimRatio === undefined ? undefined : aimRatio * aloneMs);
    const aim = mostMs === undefined ? '' : `≤ ${printNumber(mostMs)}${spread.median <= mostMs ? '' : ' (missed)'}`;
    return [what, printSpread(spread), aim];
  });
  console.log(printTable(['', 'ms', 'aim'], rows));
});

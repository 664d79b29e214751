import { bench, describeMachine, isAsked, printNumber, printSpread, printTable, spreadOf } from '../testing/bench.ts';
import { eventually } from '../testing/eventually.ts';
import { RawConnection } from '../testing/http/raw-connection.ts';
import { ALERTMANAGER, Janitor, type RunningServer, runProcess, temporaryFolder } from '../testing/processes.ts';
import { alertsOf, postRequest, silencesOf } from './testing/bench.ts';
import { alternateServers, alternateSides, benchSides, type Side } from './testing/bench-sides.ts';
import { memoryMb, processorMs } from './testing/process-usage.ts';
import { startWebhookSink } from './testing/webhook-sink.ts';

/** How opsdeck should stand to Alertmanager: its value divided by that of the other. */
interface Aim {
  readonly least?: number;
  readonly most?: number;
}

interface Row {
  readonly aim: Aim;
  readonly samples: Map<Side['name'], number[]>;
}

const rows = new Map<string, Row>();

function record(what: string, { name }: Side, sample: number, aim: Aim = {}): void {
  const row = rows.get(what) ?? { aim, samples: new Map() };
  rows.set(what, row);
  row.samples.set(name, [...(row.samples.get(name) ?? []), sample]);
}

const sleep = (ms: number) => new Promise((done) => setTimeout(done, ms));

async function post(connection: RawConnection, request: Buffer): Promise<void> {
  const { status, head } = await connection.exchange('POST', request);
  if (status !== 200) throw new Error(`${String(request).slice(0, 200)} was answered with ${head}`);
}

const ROUNDS = 5;
const CLIENTS = 4;
/** Both sides are fast only when warm, and a server runs for weeks. */
const WARM_UP_MS = 2_000;
const MEASURED_MS = 3_000;

/** Posts the requests in turn over all connections at once for so long; gives how many were answered. */
async function postFor(ms: number, connections: readonly RawConnection[], next: () => Buffer): Promise<number> {
  const endsAt = performance.now() + ms;
  let answered = 0;
  const drain = async (connection: RawConnection) => {
    for (; performance.now() < endsAt; answered++) await post(connection, next());
  };
  await Promise.all(connections.map(drain));
  return answered;
}

/** Rate and processor time of posts by some clients at once, each over a connection that it keeps. */
async function measurePosts(
  [side, server]: readonly [Side, RunningServer],
  what: string,
  clients: number,
  requests: readonly Buffer[],
  rateAim: Aim,
): Promise<void> {
  let sent = 0;
  const next = () => requests[sent++ % requests.length] as Buffer;
  const connections = await Promise.all(Array.from({ length: clients }, () => RawConnection.open(server.url)));
  await postFor(WARM_UP_MS, connections, next);
  const startedAt = performance.now();
  const usedBefore = processorMs(server.pid);
  const answered = await postFor(MEASURED_MS, connections, next);
  const used = processorMs(server.pid) - usedBefore;
  record(`${what} (/s)`, side, (answered / (performance.now() - startedAt)) * 1000, rateAim);
  record(`${what}: processor (µs each)`, side, (used / answered) * 1000);
  for (const connection of connections) connection.close();
}

async function measureAlertPosts(side: Side, server: RunningServer): Promise<void> {
  const requests = alertsOf(10_000).map((alert) => postRequest('/api/v2/alerts', [alert]));
  await measurePosts([side, server], `POST of 1 alert, ${CLIENTS} clients`, CLIENTS, requests, { least: 0.8 });
  await measurePosts([side, server], 'POST of 1 alert, 1 client', 1, requests, {});
}

async function measureSilencePosts(side: Side, server: RunningServer): Promise<void> {
  const requests = silencesOf(10_000).map((silence) => postRequest('/api/v2/silences', silence));
  await measurePosts([side, server], `POST of silences, ${CLIENTS} clients`, CLIENTS, requests, { least: 0.5 });
  await measurePosts([side, server], 'POST of silences, 1 client', 1, requests, {});
}

async function load(server: RunningServer, alerts: number, silences = 0): Promise<void> {
  const connection = await RawConnection.open(server.url, { deadlineMs: 120_000 });
  for (let at = 0; at < alerts; at += 1000) await post(connection, postRequest('/api/v2/alerts', alertsOf(1000, at)));
  for (const silence of silencesOf(silences)) await post(connection, postRequest('/api/v2/silences', silence));
  connection.close();
}

/** From the call of the executable until the server listens. */
async function measureStart(side: Side, what: string, aim: Aim, storage?: string): Promise<void> {
  const janitor = new Janitor();
  try {
    const startedAt = performance.now();
    const server = await side.start(janitor, { storage });
    record(`${what} (ms)`, side, performance.now() - startedAt, aim);
    record(`${what}: processor (ms)`, side, processorMs(server.pid));
    if (storage === undefined) return;
    await sleep(SETTLED_MS);
    record('memory after a start with 10,000 silences (MB)', side, memoryMb(server.pid));
  } finally {
    await janitor.clean();
  }
}

const START_ROUNDS = 9;

async function measureStarts(): Promise<void> {
  const janitor = new Janitor();
  try {
    const storages = new Map(benchSides().map(({ name }) => [name, temporaryFolder(janitor)]));
    await alternateSides(1, async (side) => {
      const server = await side.start(janitor, { storage: storages.get(side.name) });
      await load(server, 0, SILENCES);
      await server.stop();
    });
    await alternateSides(START_ROUNDS, (side) => measureStart(side, 'start until it listens', { most: 2 }));
    await alternateSides(START_ROUNDS, (side) =>
      measureStart(side, 'start with 10,000 silences', { most: 2 }, storages.get(side.name)),
    );
  } finally {
    await janitor.clean();
  }
}

const SILENCES = 10_000;
/** By then either side has collected the garbage of its start and of the load. */
const SETTLED_MS = 5_000;

async function measureRest(side: Side, server: RunningServer): Promise<void> {
  await sleep(SETTLED_MS);
  record('memory at rest (MB)', side, memoryMb(server.pid), { most: 2 });
}

async function measureSilenceMemory(side: Side, server: RunningServer): Promise<void> {
  await load(server, 0, SILENCES);
  await sleep(SETTLED_MS);
  record('memory with 10,000 silences (MB)', side, memoryMb(server.pid), { most: 1.2 });
}

async function measureAlertMemory(side: Side, server: RunningServer): Promise<void> {
  await load(server, 50_000);
  await sleep(SETTLED_MS);
  record('memory with 50k alerts (MB)', side, memoryMb(server.pid), { most: 1.3 });
}

const groupedConfig = (url: string) => `
route: {receiver: hook, group_by: [namespace, cluster], group_wait: 1s, group_interval: 2s, repeat_interval: 24h}
receivers: [{name: hook, webhook_configs: [{url: "${url}/"}]}]
`;

/** 10,000 alerts in 400 groups, all notified, and flushed every two seconds. */
async function measureGroupMemory(): Promise<void> {
  await alternateSides(3, async (side) => {
    const janitor = new Janitor();
    try {
      const sink = await startWebhookSink(janitor);
      const server = await side.start(janitor, { config: groupedConfig(sink.url) });
      await load(server, 10_000);
      const groups = new Set<string>();
      await eventually('400 groups', () => {
        for (const { payload } of sink.calls) groups.add(payload.groupKey);
        return groups.size >= 400;
      });
      await sleep(SETTLED_MS);
      record('memory with 10k alerts in 400 groups (MB)', side, memoryMb(server.pid), { most: 1.2 });
    } finally {
      await janitor.clean();
    }
  });
}

const parts: Readonly<Record<string, () => Promise<void>>> = {
  'post-alerts': () => alternateServers(ROUNDS, measureAlertPosts),
  'post-silences': () => alternateServers(ROUNDS, measureSilencePosts),
  start: measureStarts,
  'memory-rest': () => alternateServers(3, measureRest),
  'memory-silences': () => alternateServers(3, measureSilenceMemory),
  'memory-alerts': () => alternateServers(3, measureAlertMemory),
  'memory-groups': measureGroupMemory,
};

function printAim({ least, most }: Aim, ratio: number): string {
  if (least !== undefined) return `≥ ${least}${ratio < least ? ' (missed)' : ''}`;
  return most === undefined ? '' : `≤ ${most}${ratio > most ? ' (missed)' : ''}`;
}

function printRow([what, { aim, samples }]: [string, Row], sides: readonly Side[]): string[] {
  const spreads = sides.map(({ name }) => spreadOf(samples.get(name) ?? []));
  const theirs = spreads.at(-1)?.median ?? Number.NaN;
  const ratios = spreads.slice(0, -1).map(({ median }) => median / theirs);
  return [what, ...spreads.map(printSpread), ...ratios.map(printNumber), printAim(aim, ratios[0] ?? Number.NaN)];
}

bench('cost', async (filters) => {
  const sides = benchSides();
  const { stderr, stdout } = await runProcess(ALERTMANAGER, ['--version']);
  const version = /version (\S+),/.exec(stdout + stderr)?.[1] ?? 'built from source';
  console.log(`opsdeck ${OPSDECK_VERSION} beside Alertmanager ${version}: medians (least–most) of alternating runs`);
  console.log(`${describeMachine()}\n`);
  for (const [part, run] of Object.entries(parts)) {
    if (isAsked(part, filters)) await run();
  }
  process.stderr.write('\n');
  const names = sides.map(({ name }) => name);
  const head = ['', ...names, ...names.slice(0, -1).map((name) => `${name}: ratio`), 'aim'];
  console.log(
    printTable(
      head,
      [...rows].map((row) => printRow(row, sides)),
    ),
  );
});

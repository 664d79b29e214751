import { printNumber, printSpread, spreadOf } from '../testing/bench.ts';
import { RawConnection } from '../testing/http/raw-connection.ts';
import {
  configFile,
  Janitor,
  memoryOf,
  type RunningServer,
  startAlertmanager,
  startOpsdeck,
} from '../testing/processes.ts';
import { alertsOf, postRequest, silencesOf } from './testing/bench.ts';
import { benchBesideAlertmanager } from './testing/bench-contest.ts';

type Side = 'opsdeck' | 'Alertmanager';
type Unit = 'ms' | 'alerts/s' | 'MB';

const start: Readonly<Record<Side, (janitor: Janitor) => Promise<RunningServer>>> = {
  opsdeck: (janitor) => startOpsdeck(janitor, ['--config.file', configFile(janitor), '--cluster.listen-address=']),
  Alertmanager: (janitor) => startAlertmanager(janitor),
};

interface Row {
  readonly unit: Unit;
  /** The target for opsdeck: at least this many times as fast as the other, or at most this share of its memory. */
  readonly aim: number;
  readonly samples: Readonly<Record<Side, number[]>>;
}

const rows = new Map<string, Row>();

function record(what: string, unit: Unit, aim: number, side: Side, samples: readonly number[]): void {
  const row = rows.get(what) ?? { unit, aim, samples: { opsdeck: [], Alertmanager: [] } };
  rows.set(what, row);
  row.samples[side].push(...samples);
}

/** Each round starts a fresh process for either side; the first side alternates. */
async function alternate(rounds: number, measure: (side: Side, server: RunningServer) => Promise<void>): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const order: Side[] = round % 2 === 0 ? ['opsdeck', 'Alertmanager'] : ['Alertmanager', 'opsdeck'];
    for (const side of order) {
      process.stderr.write('.');
      const janitor = new Janitor();
      await measure(side, await start[side](janitor)).finally(() => janitor.clean());
    }
  }
}

async function exchange(connection: RawConnection, method: string, request: string | Buffer): Promise<number> {
  const { status, head, bodyBytes } = await connection.exchange(method, request);
  if (status !== 200) throw new Error(`${String(request).slice(0, 200)} was answered with ${head}`);
  return bodyBytes;
}

async function load(server: RunningServer, alerts: number, silences = 0): Promise<RawConnection> {
  const connection = await RawConnection.open(server.url, { deadlineMs: 120_000 });
  for (let at = 0; at < alerts; at += 1000) {
    await exchange(connection, 'POST', postRequest('/api/v2/alerts', alertsOf(Math.min(1000, alerts - at), at)));
  }
  for (const silence of silencesOf(silences))
    await exchange(connection, 'POST', postRequest('/api/v2/silences', silence));
  return connection;
}

/** Both sides are fast only when warm, and a server runs for weeks: JIT, pools and heaps get their time. */
const WARM_UP_MS = 1500;
const MEASURED_MS = 2000;

/** Posts the requests in turn over every connection at once for so long; gives how many were answered. */
async function postFor(
  ms: number,
  connections: readonly RawConnection[],
  requests: readonly Buffer[],
): Promise<number> {
  const endsAt = performance.now() + ms;
  let sent = 0;
  const drain = async (connection: RawConnection) => {
    while (performance.now() < endsAt) {
      const request = requests[sent++ % requests.length];
      if (request) await exchange(connection, 'POST', request);
    }
  };
  await Promise.all(connections.map(drain));
  return sent;
}

/** Posts of alerts last: after so long V8 has compiled them with its slower compiler, for faster code. */
const LONG_WORK_MS = 30_000;

const openConnections = ({ url }: RunningServer, count: number): Promise<RawConnection[]> =>
  Promise.all(Array.from({ length: count }, () => RawConnection.open(url)));

/** Together all 10,000 alerts. */
const postsOf = (size: number): Buffer[] =>
  Array.from({ length: Math.ceil(10_000 / size) }, (_, index) =>
    postRequest('/api/v2/alerts', alertsOf(size, index * size)),
  );

async function measurePosts(side: Side, server: RunningServer): Promise<void> {
  const first = await openConnections(server, 8);
  await postFor(LONG_WORK_MS, first, postsOf(64));
  for (const connection of first) connection.close();
  for (const size of [1, 64, 1000]) {
    const requests = postsOf(size);
    for (const concurrency of [1, 8]) {
      const connections = await openConnections(server, concurrency);
      await postFor(WARM_UP_MS, connections, requests);
      const startedAt = performance.now();
      const posts = await postFor(MEASURED_MS, connections, requests);
      const seconds = (performance.now() - startedAt) / 1000;
      record(`POST of ${size}, ${concurrency} at a time`, 'alerts/s', 1, side, [(posts * size) / seconds]);
      for (const connection of connections) connection.close();
    }
  }
}

interface Reading {
  readonly what: string;
  readonly path: string;
  readonly aim: number;
  /** What the answer must hold at least, lest a refusal or an empty list be taken for a fast one. */
  readonly leastBytes: number;
  /** Sent before each read, outside the measured time. */
  readonly before?: (read: number) => Buffer;
}

const WARM_UP_READS = 3;
const MAX_READS = 50;
const ENOUGH_MS = 4000;

async function measureReading(side: Side, connection: RawConnection, reading: Reading): Promise<void> {
  const { what, path, aim, leastBytes, before } = reading;
  const request = `GET ${path} HTTP/1.1\r\nHost: bench\r\nAccept: application/json\r\n\r\n`;
  const readOnce = async (number: number): Promise<number> => {
    if (before) await exchange(connection, 'POST', before(number));
    const startedAt = performance.now();
    const bytes = await exchange(connection, 'GET', request);
    if (bytes < leastBytes) throw new Error(`${side}: ${path} gave only ${bytes} bytes`);
    return performance.now() - startedAt;
  };
  const startedAt = performance.now();
  let read = 0;
  while (read < WARM_UP_READS || performance.now() - startedAt < WARM_UP_MS / 3) await readOnce(read++);
  const samples: number[] = [];
  while (samples.length < MAX_READS && (samples.length < 5 || performance.now() - startedAt < ENOUGH_MS)) {
    samples.push(await readOnce(read++));
  }
  record(what, 'ms', aim, side, samples);
}

const CRITICAL = encodeURIComponent('severity="critical"');

async function measureGets(side: Side, server: RunningServer, count: number): Promise<void> {
  const connection = await load(server, count);
  const n = `${count / 1000}k`;
  const all = count * 400;
  await measureReading(side, connection, {
    what: `GET /alerts, ${n}`,
    path: '/api/v2/alerts',
    aim: 5,
    leastBytes: all,
  });
  const filtered = `/api/v2/alerts?filter=${CRITICAL}`;
  await measureReading(side, connection, {
    what: `GET /alerts, ${n}, filter`,
    path: filtered,
    aim: 5,
    leastBytes: all / 5,
  });
  const received = '/api/v2/alerts?receiver=default';
  await measureReading(side, connection, {
    what: `GET /alerts, ${n}, receiver`,
    path: received,
    aim: 5,
    leastBytes: all,
  });
  const before = (read: number) => postRequest('/api/v2/alerts', alertsOf(64, read * 64));
  const what = `GET /alerts, ${n}, each after a POST of 64`;
  await measureReading(side, connection, { what, path: '/api/v2/alerts', aim: 5, leastBytes: all, before });
  connection.close();
}

async function measureGroups(side: Side, server: RunningServer): Promise<void> {
  const connection = await load(server, 10_000);
  const reading = {
    what: 'GET /alerts/groups, 10k in 500 groups',
    path: '/api/v2/alerts/groups',
    aim: 5,
    leastBytes: 4_000_000,
  };
  await measureReading(side, connection, reading);
  connection.close();
}

async function measureSilences(side: Side, server: RunningServer): Promise<void> {
  const connection = await load(server, 0, 10_000);
  const reading = { what: 'GET /silences, 10k', path: '/api/v2/silences', aim: 5, leastBytes: 3_000_000 };
  await measureReading(side, connection, reading);
  connection.close();
}

async function measureSilenced(side: Side, server: RunningServer): Promise<void> {
  const connection = await load(server, 10_000, 1000);
  const reading = { path: '/api/v2/alerts', aim: 20, leastBytes: 4_000_000 };
  const what = 'GET /alerts, 10k, 1,000 silences';
  await measureReading(side, connection, { ...reading, what });
  const [silence] = silencesOf(1);
  const before = () => postRequest('/api/v2/silences', silence);
  await measureReading(side, connection, { ...reading, what: `${what}, each after a new one`, before });
  connection.close();
}

async function measureMemory(side: Side, server: RunningServer): Promise<void> {
  const sample = async (when: string) => {
    // Either side may collect its garbage by now.
    await new Promise((done) => setTimeout(done, 1500));
    const memory = memoryOf(server.pid);
    if (!memory) return;
    record(`memory ${when}`, 'MB', 0.5, side, [memory.rss / 2 ** 20]);
    record(`memory ${when}, peak until then`, 'MB', 0.5, side, [memory.peak / 2 ** 20]);
  };
  await sample('at rest');
  const connection = await load(server, 50_000);
  await sample('with 50k alerts');
  for (let read = 0; read < 3; read++)
    await exchange(connection, 'GET', 'GET /api/v2/alerts HTTP/1.1\r\nHost: bench\r\n\r\n');
  await sample('after 3 GETs of them');
  connection.close();
}

const parts: Readonly<Record<string, () => Promise<void>>> = {
  post: () => alternate(3, measurePosts),
  'get-1k': () => alternate(3, (side, server) => measureGets(side, server, 1000)),
  'get-10k': () => alternate(3, (side, server) => measureGets(side, server, 10_000)),
  'get-50k': () => alternate(3, (side, server) => measureGets(side, server, 50_000)),
  groups: () => alternate(3, measureGroups),
  silences: () => alternate(3, measureSilences),
  silenced: () => alternate(3, measureSilenced),
  memory: () => alternate(3, measureMemory),
};

function printRow(what: string, { unit, aim, samples }: Row): string[] {
  const ours = spreadOf(samples.opsdeck);
  const theirs = spreadOf(samples.Alertmanager);
  const ratio = unit === 'ms' ? theirs.median / ours.median : ours.median / theirs.median;
  const [sign, isMet] = unit === 'MB' ? ['≤', ratio <= aim] : ['≥', ratio >= aim];
  const stands = `${printNumber(ratio)}×`;
  return [
    `${what} (${unit})`,
    printSpread(ours),
    printSpread(theirs),
    stands,
    `${sign} ${aim}×${isMet ? '' : ' (missed)'}`,
  ];
}

benchBesideAlertmanager('alerts', parts, () => [...rows].map(([what, row]) => printRow(what, row)));

import { printNumber, printSpread, spreadOf } from '../../testing/bench.ts';
import { eventually } from '../../testing/eventually.ts';
import { RawConnection } from '../../testing/http/raw-connection.ts';
import { configFile, Janitor, type RunningServer, startAlertmanager, startOpsdeck } from '../../testing/processes.ts';
import { alertsOf, postRequest, silencesOf } from '../testing/bench.ts';
import { benchBesideAlertmanager } from '../testing/bench-contest.ts';
import { memoryMb, processorMs } from '../testing/process-usage.ts';
import { startWebhookSink, type WebhookSink } from '../testing/webhook-sink.ts';

type Side = 'opsdeck' | 'Alertmanager';

const start: Readonly<Record<Side, (janitor: Janitor, config: string) => Promise<RunningServer>>> = {
  opsdeck: (janitor, config) =>
    startOpsdeck(janitor, ['--config.file', configFile(janitor, config), '--cluster.listen-address=']),
  Alertmanager: (janitor, config) => startAlertmanager(janitor, { config }),
};

interface Row {
  /** How many times as good opsdeck should be at least; undefined: nothing was promised. */
  readonly aim: number | undefined;
  readonly samples: Readonly<Record<Side, number[]>>;
}

const rows = new Map<string, Row>();

/** Smaller measurements are better. */
function record(what: string, side: Side, samples: readonly number[], aim?: number): void {
  const row = rows.get(what) ?? { aim, samples: { opsdeck: [], Alertmanager: [] } };
  rows.set(what, row);
  row.samples[side].push(...samples);
}

type Measure = (side: Side, server: RunningServer, sink: WebhookSink) => Promise<void>;

/** Each round gives either side a fresh process and a webhook of its own; the first side alternates. */
async function alternate(rounds: number, configOf: (url: string) => string, measure: Measure): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const order: Side[] = round % 2 === 0 ? ['opsdeck', 'Alertmanager'] : ['Alertmanager', 'opsdeck'];
    for (const side of order) {
      process.stderr.write('.');
      const janitor = new Janitor();
      try {
        const sink = await startWebhookSink(janitor);
        await measure(side, await start[side](janitor, configOf(sink.url)), sink);
      } finally {
        await janitor.clean();
      }
    }
  }
}

const sleep = (ms: number) => new Promise((done) => setTimeout(done, ms));

async function exchange(connection: RawConnection, method: string, request: string | Buffer): Promise<number> {
  const { status, head, bodyBytes } = await connection.exchange(method, request);
  if (status !== 200) throw new Error(`${String(request).slice(0, 200)} was answered with ${head}`);
  return bodyBytes;
}

/** One group a name; groups are flushed every few seconds, and notified again only tomorrow. */
const groupedConfig = (url: string, groupBy: string, wait: string, interval: string, rules = 0) => `
route: {receiver: hook, group_by: [${groupBy}], group_wait: ${wait}, group_interval: ${interval}, repeat_interval: 24h}
receivers: [{name: hook, webhook_configs: [{url: "${url}/"}]}]
inhibit_rules: ${JSON.stringify(inhibitionRulesOf(rules))}
`;

/** Rules as people write them: a critical alert of a team quiets its warnings on the same cluster. */
function inhibitionRulesOf(count: number): unknown[] {
  return Array.from({ length: count }, (_, number) => ({
    source_matchers: [`alertname="Alert${number % 50}"`, 'severity="critical"', `team=~"team-${number % 12}|other"`],
    target_matchers: [`alertname="Alert${(number + 1) % 50}"`, 'severity=~"warning|info"'],
    equal: ['cluster', 'namespace'],
  }));
}

const LATENCY_POSTS = 200;
const WARM_UP_POSTS = 50;

/** From the post of a single new alert to the moment when its webhook is called; groups wait 0 s. */
async function measureLatency(side: Side, server: RunningServer, sink: WebhookSink): Promise<void> {
  const connection = await RawConnection.open(server.url);
  const samples: number[] = [];
  for (let number = 0; number < WARM_UP_POSTS + LATENCY_POSTS; number++) {
    const request = postRequest('/api/v2/alerts', [{ labels: { alertname: `Latency${number}` } }]);
    const postedAt = performance.now();
    await exchange(connection, 'POST', request);
    const call = await sink.called(number + 1);
    if (number >= WARM_UP_POSTS) samples.push(call.measuredAt - postedAt);
    // Not in step with what either side writes to its disk.
    await sleep(5 + (number % 7));
  }
  connection.close();
  const sorted = samples.sort((a, b) => a - b);
  record('POST to webhook, median (ms)', side, [spreadOf(sorted).median]);
  record('POST to webhook, p99 (ms)', side, [sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN]);
}

const BURSTS = { '500': 500, '10k': 10_000 };
const BURST_WAIT_MS = 3_000;

/** Bursts of a server: the first finds it as it started, the second in use. */
const BURSTS_EACH = 2;

/** The lateness of the first and the last webhook when this number of groups is due at once, each with news. */
async function measureBurst(name: keyof typeof BURSTS, side: Side, server: RunningServer, sink: WebhookSink) {
  const groups = BURSTS[name];
  for (let burst = 0; burst < BURSTS_EACH; burst++) {
    const alerts = Array.from({ length: groups }, (_, n) => ({
      labels: { alertname: 'Burst', n: String(burst * groups + n) },
    }));
    const connection = await RawConnection.open(server.url, { deadlineMs: 120_000 });
    await exchange(connection, 'POST', postRequest('/api/v2/alerts', alerts));
    connection.close();
    const dueAt = performance.now() + BURST_WAIT_MS;
    const before = processorMs(server.pid);
    const first = await sink.called(burst * groups + 1);
    const last = await sink.called((burst + 1) * groups);
    const what = `${name} ${burst === 0 ? '' : 'more '}groups due at once`;
    record(`${what}: first webhook (ms late)`, side, [first.measuredAt - dueAt]);
    record(`${what}: last webhook (ms late)`, side, [last.measuredAt - dueAt]);
    record(`${what}: processor (ms)`, side, [processorMs(server.pid) - before]);
  }
}

const INTERVALS = 5;
const INTERVAL_MS = 2_000;

async function load(server: RunningServer, count: number): Promise<RawConnection> {
  const connection = await RawConnection.open(server.url, { deadlineMs: 120_000 });
  for (let at = 0; at < count; at += 1000)
    await exchange(connection, 'POST', postRequest('/api/v2/alerts', alertsOf(1000, at)));
  return connection;
}

/** 10,000 alerts in 400 groups, flushed every 2 s: nothing is new, so that only the evaluation is measured. */
async function measureFlushes(side: Side, server: RunningServer, sink: WebhookSink): Promise<void> {
  const connection = await load(server, 10_000);
  const groups = new Set<string>();
  await eventually('400 groups', () => {
    for (const { payload } of sink.calls) groups.add(payload.groupKey);
    return groups.size >= 400;
  });
  await sleep(3 * INTERVAL_MS);
  const before = processorMs(server.pid);
  await sleep(INTERVALS * INTERVAL_MS);
  record('processor for a flush of 10k alerts in 400 groups (ms)', side, [
    (processorMs(server.pid) - before) / INTERVALS,
  ]);
  record('memory with 10k alerts in 400 groups (MB)', side, [memoryMb(server.pid)]);
  connection.close();
}

const ROUNDS_OF_POSTS = 20;
const READS = 15;

/** How long each read of all alerts takes once the server is warm; `before` is not counted. */
async function readRepeatedly(
  connection: RawConnection,
  before?: (read: number) => Promise<void>,
): Promise<readonly number[]> {
  const samples: number[] = [];
  for (let read = 0; read < 2 * READS; read++) {
    await before?.(read);
    const startedAt = performance.now();
    const bytes = await exchange(connection, 'GET', 'GET /api/v2/alerts HTTP/1.1\r\nHost: bench\r\n\r\n');
    if (bytes < 4_000_000) throw new Error(`only ${bytes} bytes`);
    if (read >= READS) samples.push(performance.now() - startedAt);
  }
  return samples;
}

/** With 1,000 silences and 100 inhibition rules. */
async function measureBusy(side: Side, server: RunningServer): Promise<void> {
  const connection = await load(server, 10_000);
  for (const silence of silencesOf(1_000)) await exchange(connection, 'POST', postRequest('/api/v2/silences', silence));
  const posts = Array.from({ length: 10 }, (_, index) => postRequest('/api/v2/alerts', alertsOf(1000, index * 1000)));
  const posting: number[] = [];
  for (let number = 0; number < 2 * ROUNDS_OF_POSTS; number++) {
    const startedAt = performance.now();
    await exchange(connection, 'POST', posts[number % posts.length] as Buffer);
    if (number >= ROUNDS_OF_POSTS) posting.push(performance.now() - startedAt);
  }
  record('POST of 1,000 alerts (ms)', side, posting, 1);
  record('GET of 10k alerts (ms)', side, await readRepeatedly(connection), 20);
  const change = async (read: number) => {
    await exchange(connection, 'POST', postRequest('/api/v2/alerts', alertsOf(64, read * 64)));
  };
  record('GET of 10k alerts, each after a POST of 64 (ms)', side, await readRepeatedly(connection, change), 20);
  record('memory then (MB)', side, [memoryMb(server.pid)]);
  connection.close();
}

async function measureBursts(): Promise<void> {
  for (const name of ['500', '10k'] as const) {
    await alternate(
      3,
      (url) => groupedConfig(url, 'n', `${BURST_WAIT_MS}ms`, '1h'),
      (...parts) => measureBurst(name, ...parts),
    );
  }
}

const parts: Readonly<Record<string, () => Promise<void>>> = {
  latency: () => alternate(3, (url) => groupedConfig(url, 'alertname', '0s', '1h'), measureLatency),
  flush: () => alternate(3, (url) => groupedConfig(url, 'namespace, cluster', '1s', '2s'), measureFlushes),
  burst: () => measureBursts(),
  busy: () => alternate(3, (url) => groupedConfig(url, 'alertname, cluster', '1h', '1h', 100), measureBusy),
};

function printRow(what: string, { aim, samples }: Row): string[] {
  const [ours, theirs] = [spreadOf(samples.opsdeck), spreadOf(samples.Alertmanager)];
  const ratio = theirs.median / ours.median;
  const asked = aim === undefined ? '' : `≥ ${aim}×${ratio < aim ? ' (missed)' : ''}`;
  return [what, printSpread(ours), printSpread(theirs), `${printNumber(ratio)}×`, asked];
}

benchBesideAlertmanager('pipeline', parts, () => [...rows].map(([what, row]) => printRow(what, row)));

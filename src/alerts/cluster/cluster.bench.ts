import { setTimeout as sleep } from 'node:timers/promises';
import {
  bench,
  describeMachine,
  isAsked,
  printNumber,
  printSpread,
  printTable,
  spreadOf,
} from '../../testing/bench.ts';
import { eventually } from '../../testing/eventually.ts';
import { type RawAnswer, RawConnection } from '../../testing/http/raw-connection.ts';
import type { RunningPostgres } from '../../testing/postgres.ts';
import { ALERTMANAGER, type Cleanup, type RunningServer, runProcess } from '../../testing/processes.ts';
import { alertsOf, postRequest, silencesOf } from '../testing/bench.ts';
import {
  ALERTMANAGER_ALONE,
  alternateClusters,
  type ClusterSide,
  GOSSIP,
  NODES_OVER_POSTGRES,
  ONE_NODE,
  SQLITE,
  senderOf,
} from '../testing/cluster/sides.ts';
import { memoryMb, processorMs } from '../testing/process-usage.ts';
import { startWebhookSink } from '../testing/webhook-sink.ts';

const SIDES = [SQLITE, ONE_NODE, NODES_OVER_POSTGRES, ALERTMANAGER_ALONE, GOSSIP];
const CLUSTERS = [NODES_OVER_POSTGRES, GOSSIP];

/** Samples by measure, then side. */
const measured = new Map<string, Map<string, number[]>>();

function record(what: string, { name }: ClusterSide, ...samples: readonly number[]): void {
  const row = measured.get(what) ?? new Map<string, number[]>();
  measured.set(what, row);
  row.set(name, [...(row.get(name) ?? []), ...samples]);
}

/** A connection to each server, which keeps bodies. */
async function connect(t: Cleanup, servers: readonly RunningServer[]): Promise<readonly RawConnection[]> {
  const connections = await Promise.all(servers.map(({ url }) => RawConnection.open(url, { keepBodies: true })));
  t.after(() => {
    for (const connection of connections) connection.close();
  });
  return connections;
}

async function post(connection: RawConnection, request: Buffer): Promise<RawAnswer> {
  const answer = await connection.exchange('POST', request);
  if (answer.status !== 200) throw new Error(`${String(request).slice(0, 200)} was answered with ${answer.head}`);
  return answer;
}

const percentile = (samples: readonly number[], share: number) =>
  [...samples].sort((a, b) => a - b)[Math.ceil(samples.length * share) - 1] ?? Number.NaN;

const SILENCES = 40;

/** From the answer to a post until all other nodes list the silence. */
async function measureSilences(side: ClusterSide, t: Cleanup): Promise<void> {
  const { servers } = await side.start(t);
  const connections = await connect(t, servers);
  const delays: number[] = [];
  for (const [number, silence] of silencesOf(SILENCES).entries()) {
    const [first, ...others] = connections.map((_, index) => connections[(number + index) % connections.length]);
    const { body } = await post(first as RawConnection, postRequest('/api/v2/silences', silence));
    const answeredAt = performance.now();
    const { silenceID } = JSON.parse(String(body)) as { readonly silenceID: string };
    const get = `GET /api/v2/silence/${silenceID} HTTP/1.1\r\nHost: bench\r\n\r\n`;
    await Promise.all(
      others.map((other) =>
        eventually('the silence', async () => (await other?.exchange('GET', get))?.status === 200, { everyMs: 1 }),
      ),
    );
    delays.push(performance.now() - answeredAt);
    await sleep(Math.random() * 100);
  }
  record('silence known to the other nodes (ms)', side, ...delays);
  record('silence known to the other nodes (ms): 95th percentile', side, percentile(delays, 0.95));
}

/** Posts of new alerts to one node, one after the other, with time for others between them. */
async function measurePosts(side: ClusterSide, t: Cleanup): Promise<void> {
  const { servers } = await side.start(t);
  const [connection] = (await connect(t, servers)) as [RawConnection];
  for (const [size, count, pauseMs] of [
    [64, 150, 20],
    [1_000, 30, 200],
  ] as const) {
    const times: number[] = [];
    for (let number = 0; number < count; number++) {
      const request = postRequest('/api/v2/alerts', alertsOf(size, size * 10_000 + number * size));
      const sentAt = performance.now();
      await post(connection, request);
      times.push(performance.now() - sentAt);
      await sleep(pauseMs);
    }
    // The first third warms it up.
    const warm = times.slice(count / 3);
    record(`POST of ${size} alerts (ms): median`, side, spreadOf(warm).median);
    record(`POST of ${size} alerts (ms): 95th percentile`, side, percentile(warm, 0.95));
  }
}

interface Traffic {
  readonly commits: number;
  readonly alertRows: number;
  /** Those of the log of changes, and of the nodes. */
  readonly otherRows: number;
  readonly walKb: number;
}

async function trafficOf(postgres: RunningPostgres): Promise<Traffic> {
  const [row] = await postgres.psql(`
    SELECT (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()) AS commits,
      sum(n_tup_ins + n_tup_upd + n_tup_del) FILTER (WHERE relname = 'alert') AS alerts,
      sum(n_tup_ins + n_tup_upd + n_tup_del) FILTER (WHERE relname <> 'alert') AS others,
      pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') / 1024 AS "walKb"
    FROM pg_stat_user_tables`);
  const { commits, alerts, others, walKb } = row ?? {};
  return { commits: Number(commits), alertRows: Number(alerts), otherRows: Number(others), walKb: Number(walKb) };
}

const STEADY_ALERTS = 10_000;
/** Prometheus repeats an alert each minute, and gives it four: this is twelve times as fast. */
const REPEAT_MS = 5_000;
const ENDS_MS = 20_000;
const STEADY_MS = 30_000;
/** As Prometheus posts them. */
const POST_SIZE = 64;

/** Posts all alerts to a server again and again, evenly, until it is stopped. */
async function repeat(connection: RawConnection, alerts: readonly unknown[], isOver: () => boolean): Promise<void> {
  const startedAt = performance.now();
  for (let sent = 0; !isOver(); sent += POST_SIZE) {
    const at = sent % alerts.length;
    const endsAt = new Date(Date.now() + ENDS_MS).toISOString();
    const some = alerts.slice(at, at + POST_SIZE).map((alert) => ({ ...(alert as object), endsAt }));
    await post(connection, postRequest('/api/v2/alerts', some));
    await sleep(Math.max(0, startedAt + ((sent + POST_SIZE) / alerts.length) * REPEAT_MS - performance.now()));
  }
}

async function measureTraffic(
  what: string,
  side: ClusterSide,
  servers: readonly RunningServer[],
  postgres: RunningPostgres,
): Promise<void> {
  const used = () => servers.reduce((sum, { pid }) => sum + processorMs(pid), 0);
  const [before, usedBefore] = [await trafficOf(postgres), used()];
  await sleep(STEADY_MS);
  const [after, usedAfter] = [await trafficOf(postgres), used()];
  const perSecond = (count: number) => (count / STEADY_MS) * 1000;
  record(`${what}: transactions (/s)`, side, perSecond(after.commits - before.commits));
  record(`${what}: rows of alerts (/s)`, side, perSecond(after.alertRows - before.alertRows));
  record(`${what}: other rows (/s)`, side, perSecond(after.otherRows - before.otherRows));
  record(`${what}: WAL (kB/s)`, side, perSecond(after.walKb - before.walKb));
  record(`${what}: processor of a node (ms/s)`, side, perSecond(usedAfter - usedBefore) / servers.length);
}

async function measureSteady(side: ClusterSide, t: Cleanup): Promise<void> {
  const { servers, postgres } = await side.start(t);
  await measureTraffic('at rest', side, servers, postgres as RunningPostgres);
  // Prometheus posts every alert to each node.
  const alerts = alertsOf(STEADY_ALERTS);
  let isOver = false;
  const connections = await connect(t, servers);
  const posting = Promise.all(connections.map((connection) => repeat(connection, alerts, () => isOver)));
  await sleep(2 * REPEAT_MS);
  await measureTraffic('10,000 steady alerts, 12 × as fast', side, servers, postgres as RunningPostgres);
  isOver = true;
  await posting;
}

const GROUPS = 1_000;
const GROUP_WAIT_MS = 1_000;
/** Gossip's third node waits for 30 s before it decides whether to send. */
const LATE_MS = 40_000;

const eachInItsGroup = (url: string) => `
route: {receiver: hook, group_by: [pod], group_wait: ${GROUP_WAIT_MS}ms, group_interval: 5m, repeat_interval: 24h}
receivers: [{name: hook, webhook_configs: [{url: "${url}/"}]}]
`;

async function measureGroups(side: ClusterSide, t: Cleanup): Promise<void> {
  const sink = await startWebhookSink(t);
  const { servers } = await side.start(t, eachInItsGroup(sink.url));
  const connections = await connect(t, servers);
  // An older alert would not wait for others of its group.
  const startsAt = new Date().toISOString();
  const alerts = alertsOf(GROUPS).map((alert) => ({ ...(alert as object), startsAt }));
  const request = postRequest('/api/v2/alerts', alerts);
  const dueAt = performance.now() + GROUP_WAIT_MS;
  await Promise.all(connections.map((connection) => post(connection, request)));
  const groups = new Set<string>();
  let read = 0;
  await eventually('all groups', () => {
    for (; read < sink.calls.length; read++) groups.add(sink.calls[read]?.payload.groupKey ?? '');
    return groups.size === GROUPS;
  });
  record('1,000 new groups: until all are notified, after group_wait (s)', side, (performance.now() - dueAt) / 1000);
  await sleep(LATE_MS);
  record('1,000 new groups: notifications', side, sink.calls.length);
}

/** The first webhook request hangs, its sender is killed, and another node sends. */
async function measureTakeOver(side: ClusterSide, t: Cleanup): Promise<void> {
  const sink = await startWebhookSink(t, () => (sink.calls.length === 1 ? new Promise(() => {}) : {}));
  const { servers } = await side.start(t, eachInItsGroup(sink.url));
  const request = postRequest('/api/v2/alerts', alertsOf(1));
  for (const connection of await connect(t, servers)) await post(connection, request);
  const { body } = await sink.called(1);
  await servers[senderOf(body)]?.stop('SIGKILL');
  const killedAt = performance.now();
  record('take-over after a kill (s)', side, ((await sink.called(2)).measuredAt - killedAt) / 1000);
}

/** By then every side has collected the garbage of its start and of the load. */
const SETTLED_MS = 5_000;

async function measureMemory(side: ClusterSide, t: Cleanup): Promise<void> {
  const { servers } = await side.start(t);
  const connections = await connect(t, servers);
  for (let first = 0; first < STEADY_ALERTS; first += 1_000) {
    const request = postRequest('/api/v2/alerts', alertsOf(1_000, first));
    await Promise.all(connections.map((connection) => post(connection, request)));
  }
  await sleep(SETTLED_MS);
  record('memory of a node with 10,000 alerts (MB)', side, ...servers.map(({ pid }) => memoryMb(pid)));
}

const parts: Readonly<Record<string, () => Promise<void>>> = {
  silences: () => alternateClusters(3, CLUSTERS, measureSilences),
  posts: () => alternateClusters(5, [SQLITE, ONE_NODE, NODES_OVER_POSTGRES], measurePosts),
  steady: () => alternateClusters(1, [NODES_OVER_POSTGRES], measureSteady),
  groups: () => alternateClusters(3, CLUSTERS, measureGroups),
  'take-over': () => alternateClusters(3, CLUSTERS, measureTakeOver),
  memory: () => alternateClusters(3, [SQLITE, NODES_OVER_POSTGRES, ALERTMANAGER_ALONE, GOSSIP], measureMemory),
};

bench('nodes', async (filters) => {
  const { stderr, stdout } = await runProcess(ALERTMANAGER, ['--version']);
  const version = /version (\d\S*),/.exec(stdout + stderr)?.[1] ?? 'built from source';
  console.log(`opsdeck ${OPSDECK_VERSION} beside Alertmanager ${version}: medians (least–most) of alternating runs`);
  console.log(`${describeMachine()}\n`);
  for (const [part, run] of Object.entries(parts)) {
    if (isAsked(part, filters)) await run();
  }
  process.stderr.write('\n');
  const rows = [...measured].map(([what, samples]) => [
    what,
    ...SIDES.map(({ name }) => {
      const own = samples.get(name) ?? [];
      return own.length > 1 ? printSpread(spreadOf(own)) : own.map(printNumber).join('');
    }),
  ]);
  console.log(printTable(['', ...SIDES.map(({ name }) => name)], rows));
});

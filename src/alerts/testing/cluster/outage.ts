import assert from 'node:assert/strict';
import { eventually } from '../../../testing/eventually.ts';
import type { PlainResponse } from '../../../testing/http/client.ts';
import { repeat } from '../pipeline/load.ts';
import { assertAccepted, type Cluster, groupsOf } from './cluster.ts';
import { countTexts, withoutKnownKeys } from './deliveries.ts';
import { type ClusterNode, firing, resolved, silenceIdIn } from './node.ts';

// PostgreSQL goes away and comes back, beside clients of every kind.

/** The longest that a client waits for an answer while PostgreSQL is away. */
const MAX_ANSWER_MS = 3_000;
const BEFORE = groupsOf('Before', 5);
const MEANWHILE = groupsOf('Meanwhile', 5);
const AFTER = groupsOf('After', 5);

export interface Outage {
  readonly begin: () => unknown;
  readonly end: () => unknown;
  /** Its minimum duration. */
  readonly durationMs: number;
}

/** Measures all requests, beside those that need no PostgreSQL: they show how busy this machine is. */
class Stopwatch {
  #longestMs = 0;
  #idleMs = 0;
  readonly #stops: readonly (() => Promise<void>)[];

  constructor(nodes: readonly ClusterNode[]) {
    this.#stops = nodes.map((node) =>
      repeat(async () => {
        const [ms, answer] = await measured(() => node.get('/-/healthy'));
        assert.equal(answer.status, 200);
        this.#idleMs = Math.max(this.#idleMs, ms);
      }, 100),
    );
  }

  async measure(request: () => Promise<PlainResponse>): Promise<PlainResponse> {
    const [ms, answer] = await measured(request);
    this.#longestMs = Math.max(this.#longestMs, ms);
    return answer;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#stops.map((stop) => stop()));
    const bound = MAX_ANSWER_MS + this.#idleMs;
    assert.ok(this.#longestMs < bound, `a request took ${this.#longestMs} ms, one for no data ${this.#idleMs} ms`);
  }
}

async function measured(request: () => Promise<PlainResponse>): Promise<readonly [number, PlainResponse]> {
  const sentAt = performance.now();
  const answer = await request();
  return [performance.now() - sentAt, answer];
}

/** The first requests after its beginning may still reach PostgreSQL. */
async function assertSilencesRefused(node: ClusterNode, known: string, watch: Stopwatch): Promise<void> {
  for (const request of [() => node.setSilence('meanwhile'), () => node.expire(known)]) {
    const { status, body } = await watch.measure(request);
    assert.equal(status, 503, body);
    assert.match(body, /PostgreSQL/);
  }
}

async function assertAway(node: ClusterNode, acknowledged: string, watch: Stopwatch): Promise<void> {
  await eventually(`${node.name} to note it`, async () => (await node.metric('opsdeck_storage_up')) === 0);
  await Promise.all([
    assertSilencesRefused(node, acknowledged, watch),
    ...['/metrics', '/api/v2/status', '/api/v2/alerts', '/api/v2/alerts/groups', '/api/v2/notifications'].map((path) =>
      watch.measure(() => node.get(path)),
    ),
  ]);
  assert.equal((await node.get('/-/healthy')).status, 200);
  const ready = await node.get('/-/ready');
  assert.deepEqual([ready.status, ready.body.includes('PostgreSQL is away')], [200, true], ready.body);
  assert.equal((await node.silences()).get(acknowledged)?.status.state, 'active');
}

/**
 * Alerts are notified during the outage, silences refused, and no request hangs. Afterwards nothing is lost, and nothing is
 * sent again.
 */
export async function runOutage(cluster: Cluster, { begin, end, durationMs }: Outage): Promise<void> {
  const { nodes, deliveries, postAll, recorded } = cluster;
  const first = nodes[0] as ClusterNode;
  const before = BEFORE.map((group) => firing(group));
  assertAccepted(await postAll(before));
  await deliveries.seen(BEFORE, '+a');
  await recorded(BEFORE.length);
  const acknowledged = silenceIdIn(await first.setSilence('kept')) as string;
  const attacked = silenceIdIn(await first.setSilence('attacked')) as string;
  for (const node of nodes)
    await eventually(`silences on ${node.name}`, async () => (await node.silences()).has(attacked));

  const watch = new Stopwatch(nodes);
  const begunAt = performance.now();
  await begin();
  // Sent before any node knows; those that reach PostgreSQL may be written although they are refused.
  const early = nodes.map((node) => assertSilencesRefused(node, attacked, watch));
  const meanwhile = MEANWHILE.map((group) => firing(group));
  assertAccepted(await Promise.allSettled(nodes.map((node) => watch.measure(() => node.postAlerts(meanwhile)))));
  await Promise.all([...early, ...nodes.map((node) => assertAway(node, acknowledged, watch))]);
  await deliveries.seen(MEANWHILE, '+a');
  await new Promise((done) => setTimeout(done, Math.max(0, begunAt + durationMs - performance.now())));
  await end();
  for (const node of nodes)
    await eventually(`${node.name} to recover`, async () => (await node.metric('opsdeck_storage_up')) === 1);
  await watch.stop();

  await assertRecovered(cluster, acknowledged);
  const after = AFTER.map((group) => firing(group));
  assertAccepted(await postAll(after));
  await deliveries.seen(AFTER, '+a');
  // By now the requests that were under way at the recovery have arrived too.
  const sentBefore = deliveries.all.length;
  const firings = countTexts(deliveries.all, MEANWHILE);
  const most = Array.from(nodes, () => '+a').join(', ');
  for (const texts of Object.keys(firings)) assert.ok(most.startsWith(texts), `no node notifies twice: ${texts}`);
  assertAccepted(await postAll([...before, ...meanwhile, ...after].map(resolved)));
  const groups = [...BEFORE, ...MEANWHILE, ...AFTER];
  await deliveries.seen(groups, '-a');
  assert.deepEqual(countTexts(withoutKnownKeys(deliveries.all), groups), { '+a, -a': groups.length });
  assert.deepEqual(countTexts(deliveries.all, [...BEFORE, ...AFTER]), { '+a, -a': BEFORE.length + AFTER.length });
  assert.deepEqual(countTexts(deliveries.all.slice(sentBefore), MEANWHILE), { '-a': MEANWHILE.length });
}

/** Acknowledged silences are there, and changes are accepted again. */
async function assertRecovered({ nodes }: Cluster, acknowledged: string): Promise<void> {
  for (const node of nodes) {
    assert.equal((await node.silences()).get(acknowledged)?.status.state, 'active');
    assert.equal((await node.get('/-/ready')).body, 'OK');
    assert.equal((await node.setSilence('after')).status, 200);
  }
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../../testing/eventually.ts';
import { isLongRound } from '../../../testing/long-round.ts';
import { needsPostgres } from '../../../testing/postgres.ts';
import { Random } from '../../../testing/random.ts';
import { type Cluster, startCluster } from '../../testing/cluster/cluster.ts';
import { countTexts, withoutKnownKeys } from '../../testing/cluster/deliveries.ts';
import { firing, type PostedAlert } from '../../testing/cluster/node.ts';
import { SilenceLoad } from '../../testing/cluster/silence-load.ts';
import {
  findAmbiguousKeys,
  findMissing,
  findRepetitions,
  PipelineLoad,
  type Poster,
  type Repetition,
} from '../../testing/pipeline/load.ts';

// Three servers of the built executable over one PostgreSQL under load; in each round a random one is killed and started again.

const ROUNDS = Number(process.env.OPSDECK_KILLS ?? (isLongRound ? 50 : 2));
/** The minimum of acknowledged changes between two kills. */
const MIN_CHANGES = 5;

/** Posts to all running nodes, one post after the other: a node that is late with one would undo the next. */
function posterOf({ postAll }: Cluster): Poster {
  let last: Promise<unknown> = Promise.resolve();
  return {
    post: async (_path, alerts) => {
      last = last.then(() => postAll(alerts as readonly PostedAlert[]));
      await last;
      return { status: 200, headers: {}, body: '' };
    },
  };
}

/** The group that begins in each round, and changes no more. */
const groupOf = (round: number) => `Round ${round}`;

/** Kills and restarts a random node, or one with a request under way; resolves with the instants in epoch milliseconds. */
async function killNodes(cluster: Cluster, random: Random, silences: SilenceLoad): Promise<readonly number[]> {
  const { nodes, deliveries } = cluster;
  const goneAt: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const goal = silences.changes + MIN_CHANGES;
    await sleep(random.int(0, 500));
    await eventually('the load', () => silences.changes >= goal);
    await cluster.postAll([firing(groupOf(round))]);
    const sent = await deliveries.first('the group of the round', ({ group }) => group === groupOf(round));
    const node = random.chance(0.5) ? cluster.node(sent.node) : random.pick(nodes);
    await node.kill();
    goneAt.push(Date.now());
    await node.start();
  }
  return goneAt;
}

/** Ends the load; resolves when everything was notified, and a group that began after that. */
async function settle(cluster: Cluster, load: PipelineLoad, poster: Poster): Promise<void> {
  const { deliveries } = cluster;
  await load.end(poster);
  const isAllSent = () => Object.values(findMissing(load.alerts, deliveries.all)).flat().length === 0;
  // What never arrives is reported as missing.
  await eventually('all to be sent', isAllSent).catch(() => {});
  for (const node of cluster.nodes) await node.postAlerts([firing(`Last ${node.name}`)]);
  await deliveries.seen(
    cluster.nodes.map(({ name }) => `Last ${name}`),
    '+a',
  );
}

test('kills of random nodes lose no silence, no expiry and no alert, and repeat at most the requests under way', {
  only: isLongRound,
}, async (t) => {
  if (!needsPostgres(t)) return;
  const random = new Random(21);
  // So late that most kills come between a request and its answer.
  const delays = new Random(22);
  const cluster = await startCluster(t, {
    timing: 'group_wait: 50ms, group_interval: 200ms',
    answer: async () => {
      await sleep(delays.int(0, 300));
      return {};
    },
  });
  const { nodes, deliveries } = cluster;
  const [load, poster, silences] = [new PipelineLoad(random), posterOf(cluster), new SilenceLoad(cluster, random)];
  const stops = [load.startAlerts(poster), silences.start()];
  const goneAt = await killNodes(cluster, random, silences);
  await Promise.all(stops.map((stop) => stop()));
  await settle(cluster, load, poster);

  const repetitions = findRepetitions(deliveries.all);
  t.diagnostic(`${repetitions.length} of ${deliveries.all.length} notifications repeated, ${silences.changes} changes`);
  const isExplained = ({ what, isRecognisable, firstAt, secondAt }: Repetition) =>
    what === 'sent twice' && isRecognisable && goneAt.some((at) => firstAt <= at && at <= secondAt);
  assert.deepEqual(
    repetitions.filter((repetition) => !isExplained(repetition)),
    [],
  );
  assert.deepEqual(findMissing(load.alerts, deliveries.all), { resolved: [], firing: [] });
  assert.deepEqual(findAmbiguousKeys(deliveries.all), []);

  const groups = Array.from({ length: ROUNDS }, (_, round) => groupOf(round));
  assert.deepEqual(countTexts(withoutKnownKeys(deliveries.all), groups), { '+a': ROUNDS });

  const [listed, ...others] = await Promise.all(nodes.map((node) => node.silences()));
  assert.deepEqual(silences.findLost(listed ?? new Map()), []);
  for (const other of others) assert.deepEqual(new Map([...other].sort()), new Map([...(listed ?? [])].sort()));
});

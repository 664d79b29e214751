import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { messageOf } from '../../kernel/errors.ts';
import { isLongRound } from '../../testing/long-round.ts';
import { Janitor, needsReal, startAlertmanager, startOpsdeck } from '../../testing/processes.ts';
import { Random } from '../../testing/random.ts';
import { type Contest, Contestant, type StartServer, type Streams, TooSlow } from '../testing/pipeline/contest.ts';
import {
  type PipelineAction,
  type PipelineConfig,
  type PipelineKind,
  type PipelineScript,
  writePipelineScript,
} from '../testing/pipeline/script.ts';

// The same configuration, alerts, silences and reloads to both: their webhooks must be sent the same, in the same order,
// in the same second. Scripts act at whole seconds, and groups are flushed 0.4 s later: nothing happens at once, so that
// the notifications are determined. Where the machine is too slow for that, a run is repeated at half the speed.

const SEEDS: readonly (readonly [seed: number, kind: PipelineKind])[] = [
  [1, 'mixed'],
  [3, 'cadences'],
  [4, 'reloads'],
  ...(isLongRound
    ? ([
        [2, 'mixed'],
        [5, 'cadences'],
        [6, 'reloads'],
      ] as const)
    : []),
];
/** Of each run, until the machine is fast enough. */
const SLOWNESSES = [1, 2, 4, 8];
const START_DELAY_MS = 1_000;

/**
 * What newer versions send and 0.25 does not. The scripts leave out what 0.25 does differently, or by chance:
 * - It keeps an emptied group, with its cadence, for up to 30 s; here it is gone at once, as in newer versions. So groups
 *   are emptied only where a new one would be flushed in the same moments.
 * - An alert that is older than the wait lets it flush a waiting group at once, here only a new one, as in newer versions.
 * - After a reload it may flush a group while it still fills it, and before it has the inhibiting alerts: so groups that live
 *   through one have a single alert, and no inhibition. Here both are rebuilt before the first flush.
 * - After a reload it sends resolved alerts again, where others of the group still fire; here
 *   a resolved alert is sent once, as the last test shows.
 */
function withoutNewerFields(payload: Record<string, unknown>): void {
  delete payload.notification_reason;
  delete payload.routeLabels;
}

const opsdeck: StartServer = (t, config, args) => startOpsdeck(t, ['--config.file', config, ...args]);
const alertmanager: StartServer = (t, config, args) =>
  startAlertmanager(t, { args: [`--config.file=${config}`, ...args] });

interface Received {
  readonly opsdeck: Streams;
  readonly real: Streams;
}

async function playOnce(contest: Contest): Promise<Received> {
  const janitor = new Janitor();
  try {
    const sides = await Promise.all([opsdeck, alertmanager].map((start) => Contestant.start(janitor, start, contest)));
    const startsAt = Date.now() + START_DELAY_MS;
    await Promise.all(sides.map((side) => side.play(startsAt)));
    const [ours, theirs] = sides.map((side) => side.streams(withoutNewerFields)) as [Streams, Streams];
    return { opsdeck: ours, real: theirs };
  } finally {
    await janitor.clean();
  }
}

async function play(t: TestContext, script: PipelineScript): Promise<Received> {
  for (const slowness of SLOWNESSES) {
    try {
      return await playOnce({ script, slowness });
    } catch (error) {
      if (!(error instanceof TooSlow)) throw error;
      t.diagnostic(`too slow: ${messageOf(error)}`);
    }
  }
  throw new Error('this machine is too slow at any speed');
}

const sorted = (streams: Streams) => Object.fromEntries([...streams].sort(([a], [b]) => (a < b ? -1 : 1)));

/** A script of steps at some beats, with none at the others. */
function scriptOf(config: PipelineConfig, actions: Readonly<Record<number, PipelineAction>>): PipelineScript {
  const last = Math.max(...Object.keys(actions).map(Number));
  const beats = Array.from({ length: last + 1 }, (_, beat) => {
    const action = actions[beat];
    return action ? [action] : [];
  });
  return { config, beats };
}

const configWith = (groupBy: string, routes: readonly PipelineConfig[] = []): PipelineConfig => ({
  route: {
    receiver: 'first',
    group_by: [groupBy],
    group_wait: '400ms',
    group_interval: '1s',
    repeat_interval: '2400ms',
    routes,
  },
  receivers: ['first', 'other'].map((name) => ({ name, webhook_configs: [{ url: `SINK/${name}` }] })),
});

const alertsOf = (instances: string, startBeat: number, endBeat: number): PipelineAction => ({
  kind: 'alerts',
  alerts: instances.split(' ').map((instance) => ({
    labels: { alertname: 'Directed', instance },
    annotations: {},
    startBeat,
    endBeat,
  })),
});

/** How often the alert of an instance was sent as resolved. */
const timesResolved = (streams: Streams, instance: string) =>
  [...streams.values()]
    .flat()
    .join()
    .split(`{"status":"resolved","labels":{"alertname":"Directed","instance":"${instance}"`).length - 1;

const concurrency = SEEDS.length + 2;

test('webhooks are sent the same, in the same second, as by the real Alertmanager', {
  only: isLongRound,
  concurrency,
}, async (t) => {
  if (!needsReal(t, 'prometheus-alertmanager', 'prometheus-alertmanager')) return;
  const directed = [
    t.test(
      'an end under another configuration is sent to the notified receiver once its configuration is back',
      async (t) => {
        const before = configWith('...');
        const meanwhile = configWith('...', [{ matchers: ['instance="a"'], receiver: 'other' }]);
        const received = await play(
          t,
          scriptOf(before, {
            0: alertsOf('a', 0, 30),
            2: { kind: 'reload', config: meanwhile },
            4: alertsOf('a', 0, 4),
            6: { kind: 'reload', config: before },
          }),
        );
        assert.deepEqual(sorted(received.opsdeck), sorted(received.real));
        const [stream] = [...received.opsdeck].filter(([key]) => key.startsWith('/first ')).map(([, stream]) => stream);
        assert.match(stream?.at(-1) ?? '', /^beat 6: .*"status":"resolved"/);
      },
    ),
    t.test('after a reload a resolved alert is not sent again; 0.25 sends it, as others still fire', async (t) => {
      const config = configWith('alertname');
      const received = await play(
        t,
        scriptOf(config, { 0: alertsOf('a b', 0, 30), 2: alertsOf('b', 0, 2), 7: { kind: 'reload', config } }),
      );
      assert.deepEqual([timesResolved(received.opsdeck, 'b'), timesResolved(received.real, 'b')], [1, 2]);
    }),
  ];
  const counts = await Promise.all(
    SEEDS.map(async ([seed, kind]) => {
      let count = 0;
      await t.test(`script ${seed}: ${kind}`, async (t) => {
        const received = await play(t, writePipelineScript(new Random(seed), kind));
        assert.deepEqual(sorted(received.opsdeck), sorted(received.real));
        count = [...received.real.values()].flat().length;
      });
      return count;
    }),
  );
  await Promise.all(directed);
  const total = counts.reduce((sum, count) => sum + count, 0);
  assert.ok(total >= 20 * SEEDS.length, `only ${total} notifications were compared`);
});

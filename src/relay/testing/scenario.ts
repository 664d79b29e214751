import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import type { RunningServer } from '../../testing/processes.ts';
import { ENV_ID, SDK_KEY } from './app.ts';
import { type FakeLaunchDarkly, startFakeLaunchDarkly } from './launchdarkly/fake.ts';
import { plainFlag } from './launchdarkly/faults.ts';
import { FlagFile, portOf, relayConfigFile, startRelayProcess } from './process.ts';
import { type Sdk, type SdkClient, UNKNOWN_KEY } from './sdks.ts';

/** Makes the test hang if the relay waits for open streams when it stops. */
const PATIENT = ['gracefulShutdownTimeout = 1h'];

type Flag = Readonly<Record<string, unknown>>;

const RULED: Flag = {
  ...plainFlag('ruled', 'plain'),
  variations: ['plain', 'golden'],
  rules: [
    { id: 'gold', variation: 1, clauses: [{ attribute: 'plan', op: 'in', values: ['gold'], contextKind: 'user' }] },
  ],
};
const FLAGS: Readonly<Record<string, Flag>> = {
  bool: plainFlag('bool', true),
  number: plainFlag('number', 1.5),
  object: plainFlag('object', { a: [1, 'two', null] }),
  ruled: RULED,
  text: plainFlag('text', 'old'),
};

/** Expected evaluations: value, variation, and reason as named by LaunchDarkly or OpenFeature. */
const EXPECTED: readonly (readonly [key: string, fallback: unknown, value: unknown, index: number, reason: RegExp])[] =
  [
    ['bool', false, true, 0, /^(FALLTHROUGH|STATIC)$/],
    ['number', 0, 1.5, 0, /^(FALLTHROUGH|STATIC)$/],
    ['object', {}, { a: [1, 'two', null] }, 0, /^(FALLTHROUGH|STATIC)$/],
    ['ruled', 'none', 'golden', 1, /^(RULE_MATCH|TARGETING_MATCH)$/],
    ['text', 'none', 'old', 0, /^(FALLTHROUGH|STATIC)$/],
  ];

/** A relay process and the source of its flags. */
interface RelayWorld {
  /** Starts the relay; after a stop, on the same port. */
  start(): Promise<RunningServer>;
  /** Changes the flag `text`. */
  saveText(value: string): Promise<void> | void;
  readonly keys: Readonly<Record<Sdk['sdkKind'], string>>;
  /** Undefined if events are discarded. */
  readonly upstream: FakeLaunchDarkly | undefined;
}

/** A relay of a flag file. */
async function localWorld(t: TestContext): Promise<RelayWorld> {
  const file = new FlagFile(t);
  await file.save(FLAGS);
  let version = 1;
  return {
    start: starter(t, [
      '--config',
      relayConfigFile(t, { upstream: 'http://127.0.0.1:1', main: PATIENT }),
      '--flags',
      file.path,
    ]),
    keys: { server: SDK_KEY, client: ENV_ID },
    saveText: (value) => file.save({ ...FLAGS, text: plainFlag('text', value, ++version) }),
    upstream: undefined,
  };
}

/** A relay with a recording upstream. */
async function upstreamWorld(t: TestContext, args: readonly string[] = []): Promise<RelayWorld> {
  const upstream = await startFakeLaunchDarkly(t, { flags: FLAGS });
  let version = 1;
  return {
    start: starter(t, ['--config', relayConfigFile(t, { upstream: upstream.url, main: PATIENT }), ...args]),
    keys: { server: SDK_KEY, client: ENV_ID },
    saveText: (value) => upstream.patch('flags', plainFlag('text', value, ++version)),
    upstream,
  };
}

type MakeWorld = (t: TestContext) => Promise<RelayWorld>;

/** The sources of flags. */
export const WORLDS: readonly (readonly [name: string, make: MakeWorld])[] = [
  ['a flag file', localWorld],
  ['upstream', upstreamWorld],
  ['upstream, evaluated streams, two workers', (t) => upstreamWorld(t, ['--evaluated-streams', '--workers', '2'])],
];

/** Plays the scenario with each of these sources of flags, concurrently; the test must allow concurrent subtests. */
export async function playEverywhere(t: TestContext, sdks: readonly Sdk[], worlds = WORLDS): Promise<void> {
  const play = async (world: TestContext, make: MakeWorld) => playScenario(world, sdks, await make(world));
  await Promise.all(worlds.map(([name, make]) => t.test(name, { concurrency: true }, (world) => play(world, make))));
}

function starter(t: TestContext, args: readonly string[]): RelayWorld['start'] {
  let port = 0;
  return async () => {
    const relay = await startRelayProcess(t, args, port);
    port = portOf(relay);
    // Not every SDK retries after a 503 of a relay without data.
    await eventually('data', async () => (await fetch(`${relay.url}/readyz`)).ok);
    return relay;
  };
}

/**
 * Plays the same scenario with all clients concurrently: start, evaluations, a change, events, a restart of the relay, and an
 * unknown key. The test must allow concurrent subtests.
 */
async function playScenario(t: TestContext, sdks: readonly Sdk[], world: RelayWorld): Promise<void> {
  const clients = new Map<Sdk, SdkClient>();
  const each = async (rule: string, action: (sdk: Sdk, client: SdkClient) => Promise<void>, some = sdks) => {
    await Promise.all(
      some.map((sdk) =>
        t.test(`${sdk.name}: ${rule}`, () => {
          const client = clients.get(sdk);
          assert.ok(client, 'it did not start');
          return action(sdk, client);
        }),
      ),
    );
  };
  const closeAll = async () => {
    const open = [...clients.values()];
    clients.clear();
    await Promise.all(open.map((client) => client.close()));
  };
  let relay = await world.start();
  await Promise.all(
    sdks.map((sdk) =>
      t.test(
        `${sdk.name}: starts`,
        async () => void clients.set(sdk, await sdk.open(relay.url, world.keys[sdk.sdkKind])),
      ),
    ),
  );
  try {
    await each('evaluates flags of every type', (_, client) => assertEvaluates(client));
    await world.saveText('new');
    await each('sees a change', (_, client) => eventuallyReads(client, 'new'));
    if (world.upstream)
      await each(
        'delivers its events',
        assertDelivers(world.upstream),
        sdks.filter(({ sendsEvents }) => sendsEvents),
      );
    await t.test('contexts came in paths and in bodies', () => assertAskedBothWays(relay));
    assert.deepEqual(await relay.stop(), { code: 0, signal: null }, relay.stderr());
    await each(
      'remembers flags while the relay is away',
      async (_, client) => assert.equal(await readText(client), 'new'),
      sdks.filter(({ remembers }) => remembers),
    );
    await world.saveText('newest');
    relay = await world.start();
    await each('comes back after a restart of the relay', (_, client) => eventuallyReads(client, 'newest'));
    await closeAll();
    await Promise.all(
      sdks.map((sdk) =>
        t.test(`${sdk.name}: is refused with an unknown key`, async () => {
          const opened = sdk.open(relay.url, UNKNOWN_KEY).then((client) => client.close());
          await assert.rejects(opened, (error) => sdk.refusal.test(describeError(error)));
        }),
      ),
    );
  } finally {
    await closeAll();
  }
}

async function assertEvaluates(client: SdkClient): Promise<void> {
  for (const [key, fallback, value, index, reason] of EXPECTED) {
    const seen = await client.read(key, fallback);
    assert.deepEqual(seen.value, value, key);
    assert.equal(Number(seen.variation), index, key);
    assert.match(seen.reason ?? '', reason, key);
  }
  const missing = await client.read('missing', 'fallback');
  assert.deepEqual([missing.value, missing.reason], ['fallback', 'ERROR']);
}

const readText = async (client: SdkClient) => (await client.read('text', 'none')).value;

async function eventuallyReads(client: SdkClient, text: string): Promise<void> {
  await eventually(`the text ${text}`, async () => (await readText(client)) === text);
}

/** According to the relay's metrics. */
async function assertAskedBothWays({ url }: RunningServer): Promise<void> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  for (const method of ['GET', 'REPORT']) {
    assert.match(metrics, new RegExp(`^launchdarkly_relay_requests\\{.*_sdk_evalx_.*method="${method}"`, 'm'));
  }
}

function assertDelivers(upstream: FakeLaunchDarkly) {
  return async ({ name, sdkKind }: Sdk, client: SdkClient): Promise<void> => {
    const eventPath = sdkKind === 'server' ? '/bulk' : `/events/bulk/${ENV_ID}`;
    const event = `bought by ${name}`;
    await client.report?.(event);
    const { headers } = await eventually('the event upstream', () =>
      upstream.eventPosts.find(({ path, body }) => path === eventPath && body.includes(JSON.stringify(event))),
    );
    assert.equal(headers.authorization, sdkKind === 'server' ? SDK_KEY : undefined);
    assert.equal(headers['x-launchdarkly-event-schema'], '4');
  };
}

/** Some clients reject with a value other than an Error. */
function describeError(error: unknown): string {
  return error instanceof Error ? String(error) : JSON.stringify(error);
}

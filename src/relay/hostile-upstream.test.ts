import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '../testing/eventually.ts';
import { PlainClient } from '../testing/http/client.ts';
import { isLongRound } from '../testing/long-round.ts';
import { memoryOf, type RunningServer } from '../testing/processes.ts';
import { SDK_KEY } from './testing/app.ts';
import { startFakeLaunchDarkly } from './testing/launchdarkly/fake.ts';
import {
  answerStatus,
  bigPut,
  endlessLine,
  halfAnEvent,
  malformedJson,
  plainFlag,
  type StreamFault,
} from './testing/launchdarkly/faults.ts';
import { type EnvironmentStatus, readStatus, relayConfigFile, startRelayProcess } from './testing/process.ts';

// A faulty upstream, and the executable between it and its clients.

const MB = 2 ** 20;
/** A relay at rest takes 70 to 110 MB; a put of 50 MB is bytes and text, is parsed, and is kept as text, in each thread. */
const MAX_MEMORY = 400 * MB;
const WORKERS = 2;
/** In a long round nearly as many as an event may be. */
const BIG_PUT_MB = isLongRound ? 50 : 20;
const MAX_MEMORY_OF_BIG_PUTS = BIG_PUT_MB * (20 + WORKERS * 10) * MB;
const BIG_PUTS = isLongRound ? 3 : 1;
const CONTEXT = Buffer.from('{"kind":"user","key":"ada"}').toString('base64url');

interface FaultCase {
  readonly fault: StreamFault;
  readonly kind: string;
}

const FAULTS: Readonly<Record<string, FaultCase>> = {
  // upstream-faults.test.ts has all of them without a process.
  ...(isLongRound
    ? {
        'cuts the connection': { fault: 'reset', kind: 'NETWORK_ERROR' },
        'sends half an event': { fault: halfAnEvent(), kind: 'NETWORK_ERROR' },
        'sends malformed JSON': { fault: malformedJson(), kind: 'INVALID_DATA' },
      }
    : {}),
  'answers with 503': { fault: answerStatus(503, 'x'.repeat(MB)), kind: 'ERROR_RESPONSE' },
  'sends a line without an end': { fault: endlessLine(Number.POSITIVE_INFINITY), kind: 'INVALID_DATA' },
};

const AUTHORIZED = { authorization: SDK_KEY };

interface Relay extends RunningServer {
  readonly client: PlainClient;
}

async function start(t: TestContext) {
  const upstream = await startFakeLaunchDarkly(t, { flags: { a: plainFlag('a', 'first') } });
  const config = relayConfigFile(t, { upstream: upstream.url, main: ['disconnectedStatusTime = 10ms'] });
  const startRelay = async (): Promise<Relay> => {
    const relay = await startRelayProcess(t, ['--config', config, '--workers', String(WORKERS)]);
    return { ...relay, client: new PlainClient(t, relay.url) };
  };
  return { upstream, startRelay };
}

/** The status and value of flag `a`. */
async function evaluate({ client }: Relay): Promise<readonly [status: number, value: unknown]> {
  const path = `/sdk/evalx/contexts/${CONTEXT}`;
  const answer = await client.send({ method: 'GET', path, headers: AUTHORIZED });
  const flags = answer.status === 200 ? (JSON.parse(answer.body) as { a?: { value: unknown } }) : {};
  return [answer.status, flags.a?.value];
}

const statusCode = async ({ client }: Relay, path: string): Promise<number> => (await client.get(path)).status;

/** Waits until `/status` reports this status and state; returns the environment. */
async function untilStatus(relay: RunningServer, overall: string, state: string): Promise<EnvironmentStatus> {
  return eventually(`${overall}, ${state}`, async () => {
    const { status, environments } = await readStatus(relay);
    const { production } = environments;
    return status === overall && production?.connectionStatus.state === state && production;
  });
}

function assertMemory({ pid }: RunningServer, most = MAX_MEMORY): void {
  const peak = memoryOf(pid)?.peak ?? 0;
  assert.ok(peak < most, `it held ${Math.round(peak / MB)} MB`);
}

test('a faulty upstream', { only: isLongRound, concurrency: true }, async (t) => {
  const faults = Object.entries(FAULTS).map(([name, { fault, kind }]) =>
    t.test(`${name}: at the start 503, later the last data; /status reports it, and it recovers`, async (t) => {
      const { upstream, startRelay } = await start(t);
      upstream.failAlways(fault);
      const relay = await startRelay();
      const starting = await eventually('an error at the start', async () => {
        const { production } = (await readStatus(relay)).environments;
        return production?.connectionStatus.lastError && production;
      });
      assert.deepEqual([starting.status, starting.connectionStatus.state], ['disconnected', 'INITIALIZING']);
      assert.equal(starting.connectionStatus.lastError?.kind, kind);
      assert.deepEqual([(await evaluate(relay))[0], await statusCode(relay, '/readyz')], [503, 503]);

      upstream.failAlways(undefined);
      await untilStatus(relay, 'healthy', 'VALID');
      assert.deepEqual([await evaluate(relay), await statusCode(relay, '/readyz')], [[200, 'first'], 200]);

      upstream.failAlways(fault);
      upstream.dropStreams();
      const interrupted = await untilStatus(relay, 'degraded', 'INTERRUPTED');
      assert.equal(interrupted.status, 'disconnected');
      assert.deepEqual([await evaluate(relay), await statusCode(relay, '/readyz')], [[200, 'first'], 200]);
      await eventually(kind, async () => {
        const { production } = (await readStatus(relay)).environments;
        return production?.connectionStatus.lastError?.kind === kind;
      });

      upstream.put({ flags: { a: plainFlag('a', 'second', 2) } });
      upstream.failAlways(undefined);
      const recovered = await untilStatus(relay, 'healthy', 'VALID');
      assert.equal(recovered.connectionStatus.lastError?.kind, kind);
      assert.deepEqual(await evaluate(relay), [200, 'second']);
      assert.equal(await statusCode(relay, '/healthz'), 200);
      assertMemory(relay);
    }),
  );
  const others = [
    t.test('never responds: the last data is served, and it is retried; refuses the key later: likewise', async (t) => {
      const { upstream, startRelay } = await start(t);
      const relay = await startRelay();
      await untilStatus(relay, 'healthy', 'VALID');
      upstream.failNext('hang');
      upstream.dropStreams();
      await untilStatus(relay, 'degraded', 'INTERRUPTED');
      assert.deepEqual(await evaluate(relay), [200, 'first']);
      upstream.put({ flags: { a: plainFlag('a', 'second', 2) } });
      await untilStatus(relay, 'healthy', 'VALID');
      assert.deepEqual(await evaluate(relay), [200, 'second']);
      upstream.failAlways(answerStatus(401));
      upstream.dropStreams();
      await untilStatus(relay, 'degraded', 'OFF');
      assert.deepEqual(await evaluate(relay), [200, 'second']);
    }),
    t.test('refuses the key at the start: it is unknown here too', async (t) => {
      const { upstream, startRelay } = await start(t);
      upstream.failNext(answerStatus(401));
      const refused = await startRelay();
      await untilStatus(refused, 'degraded', 'OFF');
      assert.equal((await evaluate(refused))[0], 401);
    }),
    t.test(`sends a put of ${BIG_PUT_MB} MB, again and again: it is served, and memory has an end`, async (t) => {
      const { upstream, startRelay } = await start(t);
      upstream.failNext(...Array.from({ length: BIG_PUTS }, () => bigPut(BIG_PUT_MB * 1_000_000)));
      const relay = await startRelay();
      const last = () => relay.client.send({ method: 'GET', path: '/sdk/flags/last', headers: AUTHORIZED });
      for (let round = 1; round <= BIG_PUTS; round++) {
        await untilStatus(relay, 'healthy', 'VALID');
        assert.equal((await last()).status, 200);
        // Streams with faults cannot be dropped.
        await upstream.stop();
        await untilStatus(relay, 'degraded', 'INTERRUPTED');
        assert.equal((await last()).status, 200);
        await upstream.listen();
      }
      await untilStatus(relay, 'healthy', 'VALID');
      assert.deepEqual(await evaluate(relay), [200, 'first']);
      assertMemory(relay, MAX_MEMORY_OF_BIG_PUTS);
    }),
  ];
  await Promise.all([...faults, ...others]);
});

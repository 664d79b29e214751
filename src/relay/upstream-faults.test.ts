import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { type CancelTimer, type Clock, systemClock } from '../kernel/clock.ts';
import { eventually } from '../testing/eventually.ts';
import { openHttpClient } from '../testing/http/client-parts.ts';
import { startHttpSink } from '../testing/http/sink.ts';
import type { ConnectionErrorKind } from './status/connection-status.ts';
import { startFakeLaunchDarkly } from './testing/launchdarkly/fake.ts';
import {
  answerStatus,
  bigPut,
  endlessLine,
  halfAnEvent,
  malformedJson,
  plainFlag,
  redirectTo,
  type StreamFault,
} from './testing/launchdarkly/faults.ts';
import { emptySink, plainEnvironment, RecordingLog, SAMPLE_SDK_KEY } from './testing/launchdarkly/parts.ts';
import type { FollowerLimits } from './upstream/follower.ts';
import { createUpstreamSource } from './upstream/source.ts';

const LIMITS = { headMs: 1_000_001, idleMs: 1_000_002 };
type Limit = keyof typeof LIMITS;

/** A clock with a millisecond for the second between two attempts; the test triggers limits. */
class HastyClock implements Clock {
  readonly #waiting = new Set<{ readonly ms: number; readonly action: () => void }>();

  now(): number {
    return systemClock.now();
  }

  monotonic(): number {
    return systemClock.monotonic();
  }

  after(ms: number, action: () => void): CancelTimer {
    if (!Object.values(LIMITS).includes(ms)) return systemClock.after(ms / 1000, action);
    const timer = { ms, action };
    this.#waiting.add(timer);
    return () => this.#waiting.delete(timer);
  }

  every(ms: number, action: () => void): CancelTimer {
    return systemClock.every(ms / 1000, action);
  }

  /** Whether that timeout was reached. */
  reach(limit: Limit): boolean {
    const timer = [...this.#waiting].find(({ ms }) => ms === LIMITS[limit]);
    if (timer) this.#waiting.delete(timer);
    timer?.action();
    return timer !== undefined;
  }
}

interface StartOptions {
  readonly limits?: Partial<FollowerLimits>;
  readonly proxyUrl?: string;
}

function startUpstream(t: TestContext, streamUri: string, { limits, proxyUrl }: StartOptions = {}) {
  const log = new RecordingLog();
  const clock = new HastyClock();
  const sink = emptySink(clock);
  const source = createUpstreamSource(sink, {
    environment: plainEnvironment(),
    options: { streamUri },
    http: openHttpClient(t, { proxyUrl }),
    clock,
    log,
    limits: { ...LIMITS, ...limits },
  });
  t.after(() => source.close());
  source.start();
  return { log, source, clock, ...sink };
}

const FLAGS = { a: plainFlag('a', 'true') };

interface LieCase {
  readonly fault: StreamFault;
  readonly kind: ConnectionErrorKind;
  readonly statusCode?: number;
  readonly limits?: Partial<FollowerLimits>;
  /** The timeout that ends the silence. */
  readonly endsAt?: Limit;
}

const FAULTS: Record<string, LieCase> = {
  'never answers': { fault: 'hang', kind: 'NETWORK_ERROR', endsAt: 'headMs' },
  'says nothing after its head': { fault: 'silence', kind: 'NETWORK_ERROR', endsAt: 'idleMs' },
  'cuts the connection': { fault: 'reset', kind: 'NETWORK_ERROR' },
  'sends half an event': { fault: halfAnEvent(), kind: 'NETWORK_ERROR' },
  'sends malformed JSON': { fault: malformedJson(), kind: 'INVALID_DATA' },
  'answers with 401': { fault: answerStatus(401), kind: 'ERROR_RESPONSE', statusCode: 401 },
  'answers with 503 and a long text': {
    fault: answerStatus(503, 'x'.repeat(2 ** 20)),
    kind: 'ERROR_RESPONSE',
    statusCode: 503,
  },
  'redirects to another host': { fault: redirectTo('http://flags.invalid/'), kind: 'ERROR_RESPONSE', statusCode: 307 },
  'sends a line that never ends': {
    fault: endlessLine(Number.POSITIVE_INFINITY),
    kind: 'INVALID_DATA',
    limits: { maxEventBytes: 2 ** 20 },
  },
  'sends a put beyond all bounds': {
    fault: bigPut(4 * 2 ** 20),
    kind: 'INVALID_DATA',
    limits: { maxEventBytes: 2 ** 20 },
  },
  'sends a page': {
    fault: { chunks: ['<html>'], ending: 'hold', contentType: 'text/html' },
    kind: 'INVALID_DATA',
  },
};

describe('an upstream that at first', () => {
  for (const [name, { fault, kind, statusCode, limits, endsAt }] of Object.entries(FAULTS)) {
    test(`${name} is reported, and retried until it delivers`, async (t) => {
      const fake = await startFakeLaunchDarkly(t, { flags: FLAGS });
      fake.failNext(fault);
      const { connection, store, log, clock } = startUpstream(t, fake.url, limits ? { limits } : {});
      await eventually('the first request', () => fake.streamRequests.length >= 1, { everyMs: 5 });
      if (endsAt) await eventually('the silence', () => clock.reach(endsAt), { everyMs: 5 });
      await eventually('data', () => connection.state === 'VALID', { everyMs: 5 });
      assert.deepEqual([connection.lastError?.kind, connection.lastError?.statusCode], [kind, statusCode]);
      assert.equal(store.version('flags', 'a'), 1);
      assert.ok(
        log.lines.some(({ level, fields }) => level !== 'info' && fields.kind === kind),
        log.text,
      );
      assert.ok(!log.text.includes(SAMPLE_SDK_KEY));
    });
  }
});

test('data is still served while upstream fails, until it delivers something new', async (t) => {
  const fake = await startFakeLaunchDarkly(t, { flags: FLAGS });
  const { connection, store, clock } = startUpstream(t, fake.url);
  await eventually('data', () => store.isInitialised, { everyMs: 5 });
  fake.failNext('reset', halfAnEvent(), malformedJson(), answerStatus(503), 'hang', answerStatus(401));
  fake.dropStreams();
  await eventually('interruption', () => connection.state === 'INTERRUPTED', { everyMs: 1 });
  await eventually('the request that hangs', () => fake.streamRequests.length === 6, { everyMs: 5 });
  assert.ok(clock.reach('headMs'));
  await eventually('refusal', () => connection.state === 'OFF', { everyMs: 5 });
  assert.equal(store.version('flags', 'a'), 1);
  fake.put({ flags: { a: plainFlag('a', 'new', 2) } });
  await eventually('recovery', () => connection.state === 'VALID' && store.version('flags', 'a') === 2, { everyMs: 5 });
  assert.equal(fake.streamRequests.length, 8);
});

test('an upstream that is away for a while is found again', async (t) => {
  const fake = await startFakeLaunchDarkly(t, { flags: FLAGS });
  const { connection } = startUpstream(t, fake.url);
  await eventually('data', () => connection.state === 'VALID', { everyMs: 5 });
  await fake.stop();
  await eventually('interruption', () => connection.state === 'INTERRUPTED', { everyMs: 5 });
  await fake.listen();
  await eventually('recovery', () => connection.state === 'VALID', { everyMs: 5 });
});

test('the stream is requested through the configured proxy', async (t) => {
  const proxy = await startHttpSink(t, () => ({ status: 503 }));
  const { connection } = startUpstream(t, 'http://stream.invalid', { proxyUrl: proxy.url });
  const [request] = await proxy.received(1);
  assert.deepEqual([request?.path, request?.headers.authorization], ['http://stream.invalid/all', SAMPLE_SDK_KEY]);
  await eventually('error', () => connection.lastError?.statusCode === 503, { everyMs: 5 });
});

test('a closed source leaves no stream behind', async (t) => {
  const fake = await startFakeLaunchDarkly(t, { flags: FLAGS });
  const { connection, source } = startUpstream(t, fake.url);
  await eventually('data', () => connection.state === 'VALID', { everyMs: 5 });
  assert.equal(fake.openStreams, 1);
  await source.close();
  await fake.until(({ openStreams }) => openStreams === 0);
});

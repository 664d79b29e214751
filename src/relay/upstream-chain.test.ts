import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../kernel/clock.ts';
import { eventually, HANG_MS } from '../testing/eventually.ts';
import { openSse } from '../testing/http/sse-client.ts';
import type { RelayOptions } from './config/relay-options.ts';
import { type RelayServer, startRelay } from './server.ts';
import { RELAY_DEFAULTS } from './testing/config.ts';
import { startFakeLaunchDarkly } from './testing/launchdarkly/fake.ts';
import { plainFlag } from './testing/launchdarkly/faults.ts';
import { plainEnvironment, RecordingLog, SAMPLE_SDK_KEY } from './testing/launchdarkly/parts.ts';

async function relayOf(t: TestContext, streamUri: string, options: Partial<RelayOptions> = {}): Promise<RelayServer> {
  const environments = [plainEnvironment()];
  const host = '127.0.0.1';
  const whole = { ...RELAY_DEFAULTS, host, port: 0, streamUri, environments, gracefulShutdownMs: HANG_MS, ...options };
  const relay = await startRelay(whole, systemClock, new RecordingLog());
  t.after(() => relay.close());
  return relay;
}

const AUTHORIZED = { headers: { authorization: SAMPLE_SDK_KEY } };

test('a relay behind a relay receives the data of upstream', async (t) => {
  const fake = await startFakeLaunchDarkly(t, { flags: { a: plainFlag('a', 1) } });
  const first = await relayOf(t, fake.url);
  await first.settled;
  const second = await relayOf(t, first.url);
  assert.deepEqual(await second.settled, []);
  const stream = await openSse(`${second.url}/all`, AUTHORIZED);
  t.after(() => stream.close());
  assert.deepEqual(JSON.parse((await stream.next())?.data ?? ''), {
    path: '/',
    data: { flags: { a: plainFlag('a', 1) }, segments: {} },
  });
  fake.patch('flags', plainFlag('a', 2, 2));
  fake.patch('segments', { key: 's', version: 1, included: ['u'] });
  fake.delete('flags', 'a', 3);
  const events = [await stream.next(), await stream.next(), await stream.next()];
  assert.deepEqual(
    events.map((event) => [event?.event, JSON.parse(event?.data ?? '')]),
    [
      ['patch', { path: '/flags/a', data: plainFlag('a', 2, 2) }],
      ['patch', { path: '/segments/s', data: { key: 's', version: 1, included: ['u'] } }],
      ['delete', { path: '/flags/a', version: 3 }],
    ],
  );
});

test('a relay that starts during an outage serves earlier recorded data', async (t) => {
  const recordPath = await mkdtemp(join(tmpdir(), 'opsdeck-'));
  t.after(() => rm(recordPath, { recursive: true }));
  const fake = await startFakeLaunchDarkly(t, { flags: { a: plainFlag('a', 'recorded') } });
  const before = await relayOf(t, fake.url, { recordPath });
  await before.settled;
  await before.close();
  await fake.stop();
  const relay = await relayOf(t, fake.url, { recordPath });
  const answer = await eventually('the flag', async () => {
    const response = await fetch(`${relay.url}/sdk/flags/a`, AUTHORIZED);
    return response.status === 200 && response.json();
  });
  assert.deepEqual(answer, plainFlag('a', 'recorded'));
  assert.equal(relay.environments[0]?.connection.state, 'INITIALIZING');
  await fake.listen();
  fake.put({ flags: { a: plainFlag('a', 'new', 2) } });
  await eventually('the end of the outage', () => relay.environments[0]?.connection.state === 'VALID');
  assert.equal(relay.environments[0]?.store.version('flags', 'a'), 2);
});

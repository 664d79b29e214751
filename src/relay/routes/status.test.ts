import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Environment } from '../environment.ts';
import type { EnvironmentDetails } from '../status/status.ts';
import { createTestRelay, flagOf, type RelayAppOptions, type TestRelay } from '../testing/app.ts';
import { createMetricsApp, type StatusRouteParts, statusPaths } from './status.ts';

const METRICS = { contentType: 'text/plain; version=0.0.4', render: async () => 'up 1\n' };
/** 2026-01-01T00:00:00Z, when the clock of the tests begins. */
const START = 1767225600000;
const MINUTE = 60_000;

function createStatusRelay(
  t: Parameters<typeof createTestRelay>[0],
  options: RelayAppOptions = {},
  details?: (environment: Environment) => EnvironmentDetails,
  mayBeEmpty = false,
): TestRelay {
  const parts: StatusRouteParts<Environment> = {
    status: {
      environments: () => relay.credentials.environments,
      ...(details ? { details } : {}),
      isComplete: () => relay.credentials.isComplete,
      now: () => relay.clock.now(),
      disconnectedStatusMs: MINUTE,
      bigSegmentsStaleAsDegraded: false,
      version: '8.10.1',
      clientVersion: '7.7.0',
    },
    readiness: {
      environments: () => relay.credentials.environments,
      isComplete: () => relay.credentials.isComplete,
      mayBeEmpty,
    },
    metrics: METRICS,
  };
  const relay = createTestRelay(t, { ...options, paths: statusPaths(parts) });
  return relay;
}

const BARE = {
  name: 'bare',
  sdkKey: 'sdk-11111111-2222-4333-8444-5555aaaabbbb',
  mobileKey: undefined,
  envId: undefined,
};

describe('GET /status', () => {
  test('an environment with all three credentials that is connected, to the letter', async (t) => {
    const relay = createStatusRelay(t);
    const { status, headers, text } = await relay.get('/status');
    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), 'application/json');
    assert.equal(
      text,
      '{"environments":{"production":{' +
        '"sdkKey":"sdk-********-****-****-****-*******0000a",' +
        '"envId":"507f1f77bcf86cd799439011",' +
        '"mobileKey":"mob-********-****-****-****-*******0000b",' +
        '"status":"connected",' +
        '"connectionStatus":{"state":"VALID","stateSince":1767225600000},' +
        '"dataStoreStatus":{"state":"VALID","stateSince":1767225600000}}},' +
        '"status":"healthy","version":"8.10.1","clientVersion":"7.7.0"}',
    );
  });

  test('unknown values are left out; a long interruption degrades the whole', async (t) => {
    const relay = createStatusRelay(t, { environments: [{}, { ...BARE, envId: '', mobileKey: '' }] });
    relay.environments[1]?.connection.failed({ kind: 'ERROR_RESPONSE', time: START + 5, statusCode: 503 });
    relay.clock.advance(MINUTE + 5);
    const { status, text } = await relay.get('/status');
    assert.equal(status, 200);
    assert.equal(
      text,
      '{"environments":{"production":{' +
        '"sdkKey":"sdk-********-****-****-****-*******0000a",' +
        '"envId":"507f1f77bcf86cd799439011",' +
        '"mobileKey":"mob-********-****-****-****-*******0000b",' +
        '"status":"connected",' +
        '"connectionStatus":{"state":"VALID","stateSince":1767225600000},' +
        '"dataStoreStatus":{"state":"VALID","stateSince":1767225600000}},' +
        '"bare":{' +
        '"sdkKey":"sdk-********-****-****-****-*******abbbb",' +
        '"status":"disconnected",' +
        '"connectionStatus":{"state":"INTERRUPTED","stateSince":1767225600005,' +
        '"lastError":{"kind":"ERROR_RESPONSE","time":1767225600005,"statusCode":503}},' +
        '"dataStoreStatus":{"state":"VALID","stateSince":1767225600000}}},' +
        '"status":"degraded","version":"8.10.1","clientVersion":"7.7.0"}',
    );
  });

  test('all fields, in their order', async (t) => {
    const keyOf = (sdkKind: 'server' | 'mobile', end: string, expiresAt?: number) => ({
      sdkKind,
      key: `${sdkKind === 'server' ? 'sdk' : 'mob'}-99999999-0000-4000-8000-0000000000${end}`,
      expiresAt,
    });
    const environment = {
      labels: { envKey: 'prod', envName: 'Production', projKey: 'shop', projName: 'Shop' },
      additionalKeys: [
        keyOf('server', '0d'),
        keyOf('mobile', '0e'),
        keyOf('server', '0f', START),
        keyOf('server', '10', START),
      ],
    };
    const relay = createStatusRelay(t, { environments: [environment] }, () => ({
      dataStore: { state: 'INTERRUPTED', stateSince: 7, database: 'redis', dbServer: 'redis://h:6379', dbPrefix: 'p' },
      bigSegments: { available: true, potentiallyStale: false, lastSynchronizedOn: 9 },
    }));
    const { text } = await relay.get('/status');
    assert.equal(
      text,
      '{"environments":{"production":{' +
        '"sdkKey":"sdk-********-****-****-****-*******0000a",' +
        '"envId":"507f1f77bcf86cd799439011",' +
        '"envKey":"prod","envName":"Production","projKey":"shop","projName":"Shop",' +
        '"mobileKey":"mob-********-****-****-****-*******0000b",' +
        '"expiringSdkKey":"sdk-********-****-****-****-*******0000f",' +
        '"additionalSdkKeys":["sdk-********-****-****-****-*******0000d","sdk-********-****-****-****-*******00010"],' +
        '"additionalMobileKeys":["mob-********-****-****-****-*******0000e"],' +
        '"status":"connected",' +
        '"connectionStatus":{"state":"VALID","stateSince":1767225600000},' +
        '"dataStoreStatus":{"state":"INTERRUPTED","stateSince":7,"database":"redis",' +
        '"dbServer":"redis://h:6379","dbPrefix":"p"},' +
        '"bigSegmentStatus":{"available":true,"potentiallyStale":false,"lastSynchronizedOn":9}}},' +
        '"status":"healthy","version":"8.10.1","clientVersion":"7.7.0"}',
    );
  });

  test('before the list of environments is there it is degraded, and answers 200', async (t) => {
    const relay = createStatusRelay(t, { environments: [] });
    const empty = (status: string) =>
      `{"environments":{},"status":"${status}","version":"8.10.1","clientVersion":"7.7.0"}`;
    assert.equal((await relay.get('/status')).text, empty('healthy'));
    relay.credentials.isComplete = false;
    const early = await relay.get('/status');
    assert.equal(early.status, 200);
    assert.equal(early.text, empty('degraded'));
  });

  test('requires GET, and no credential', async (t) => {
    const relay = createStatusRelay(t);
    assert.equal((await relay.get('/status', { authorization: 'nonsense' })).status, 200);
    for (const method of ['HEAD', 'POST', 'OPTIONS', 'REPORT'])
      assert.equal((await relay.send(method, '/status')).status, 405, method);
  });

  test('expectations are checked instead', async (t) => {
    const relay = createStatusRelay(t);
    const met = await relay.get('/status?expect=status=healthy&expect=environments.production.status=connected');
    assert.equal(met.status, 200);
    assert.equal(
      met.text,
      '{"satisfied":true,"results":[' +
        '{"expr":"status=healthy","expected":"healthy","actual":"healthy","ok":true},' +
        '{"expr":"environments.production.status=connected","expected":"connected","actual":"connected","ok":true}]}',
    );
    const rows: readonly [query: string, status: number][] = [
      ['expect=status=degraded', 412],
      ['expect=status>=degraded', 422],
      ['expect=statuses=degraded', 422],
      ['expect=', 400],
      ['expect=status=healthy&x=%zz', 400],
      ['other=1', 200],
    ];
    for (const [query, status] of rows) assert.equal((await relay.get(`/status?${query}`)).status, status, query);
  });
});

describe('GET /status of one environment', () => {
  const labels = { envKey: 'prod', envName: 'Production', projKey: 'shop', projName: 'Shop' };
  const environments = [
    { labels },
    { labels, name: 'production/few', filter: 'few' },
    { ...BARE, name: 'with space', sdkKey: 'sdk-1', mobileKey: 'mob-1', envId: 'f00d' },
  ];
  const found: readonly [path: string, index: number][] = [
    ['/status/production', 0],
    ['/status/507f1f77bcf86cd799439011', 0],
    ['/status/production/filters/few', 1],
    ['/status/production%2Ffew', 1],
    ['/status/507f1f77bcf86cd799439011/filters/few', 1],
    ['/status/shop/prod', 0],
    ['/status/shop/prod/filters/few', 1],
    ['/status/with%20space', 2],
    ['/status/f00d', 2],
  ];
  for (const [path, index] of found) {
    test(`${path}: the same as in the whole`, async (t) => {
      const relay = createStatusRelay(t, { environments });
      const whole = JSON.parse((await relay.get('/status')).text);
      const { status, text } = await relay.get(path);
      assert.equal(status, 200);
      assert.deepEqual(JSON.parse(text), whole.environments[relay.environments[index]?.options.name ?? '']);
    });
  }

  for (const path of [
    '/status/other',
    '/status/few',
    '/status/production/filters/other',
    '/status/f00d/filters/few',
    '/status/shop/other',
    '/status/other/prod',
    '/status/shop/prod/filters/other',
    '/status/sdk-1',
  ]) {
    test(`${path}: 404, for any expectation`, async (t) => {
      const relay = createStatusRelay(t, { environments });
      for (const query of ['', '?expect=status=connected', '?expect=']) {
        const { status, text } = await relay.get(path + query);
        assert.equal(status, 404);
        assert.equal(text, '{"error":"environment not found"}');
      }
    });
  }

  test('before the list of environments is there: 503', async (t) => {
    const relay = createStatusRelay(t, { environments });
    relay.credentials.isComplete = false;
    const { status, text } = await relay.get('/status/production?expect=status=connected');
    assert.equal(status, 503);
    assert.match(JSON.parse(text).error, /list of environments/);
  });

  test('an expectation applies to the only environment', async (t) => {
    const relay = createStatusRelay(t, { environments });
    const met = await relay.get('/status/production?expect=status=connected&expect=connectionStatus.state=VALID');
    assert.equal(met.status, 200);
    assert.equal((await relay.get('/status/production?expect=status=disconnected')).status, 412);
    assert.equal((await relay.get('/status/production?expect=environments.production.status=connected')).status, 422);
    assert.equal((await relay.get('/status/production?expect=autoConfigStatus.state=VALID')).status, 422);
  });
});

describe('health', () => {
  test('/healthz reports that the process is up, ready or not', async (t) => {
    const relay = createStatusRelay(t, { data: 'none' });
    const { status, text } = await relay.get('/healthz');
    assert.equal(status, 200);
    assert.equal(text, 'ok\n');
    assert.equal((await relay.send('HEAD', '/healthz')).status, 200);
  });

  test('/readyz waits for the data of every environment, and names environments without data', async (t) => {
    const relay = createStatusRelay(t, { environments: [{}, BARE], data: 'none' });
    const ask = () => relay.get('/readyz');
    let answer = await ask();
    assert.equal(answer.status, 503);
    assert.equal(answer.text, '{"ready":false,"waiting":["production","bare"]}');
    relay.environment.store.replace({ flags: { f: flagOf('f') }, segments: {} });
    answer = await ask();
    assert.equal(answer.status, 503);
    assert.equal(answer.text, '{"ready":false,"waiting":["bare"]}');
    assert.equal((await relay.send('HEAD', '/readyz')).status, 503);
    relay.environments[1]?.store.replace({ flags: {}, segments: {} });
    answer = await ask();
    assert.equal(answer.status, 200);
    assert.equal(answer.text, '{"ready":true,"waiting":[]}');
  });

  test('/readyz stays ready through an outage, and is not without the list of environments', async (t) => {
    const relay = createStatusRelay(t);
    relay.environment.connection.failed({ kind: 'NETWORK_ERROR', time: START });
    relay.clock.advance(10 * MINUTE);
    assert.equal((await relay.get('/readyz')).status, 200);
    relay.credentials.isComplete = false;
    assert.equal((await relay.get('/readyz')).status, 503);
  });
});

describe('without any environment', () => {
  test('the relay is never ready', async (t) => {
    const { status, text } = await createStatusRelay(t, { environments: [] }).get('/readyz');
    assert.deepEqual([status, text], [503, '{"ready":false,"waiting":[]}']);
  });

  test('the relay is ready with automatic configuration, which may have none yet', async (t) => {
    const relay = createStatusRelay(t, { environments: [] }, undefined, true);
    assert.equal((await relay.get('/readyz')).status, 200);
  });
});

describe('GET /metrics', () => {
  test('on the main port', async (t) => {
    const relay = createStatusRelay(t);
    const { status, headers, text } = await relay.get('/metrics');
    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), 'text/plain; version=0.0.4');
    assert.equal(text, 'up 1\n');
  });

  test('on its own listener, and nothing else there', async () => {
    const app = createMetricsApp(METRICS);
    assert.equal(await (await app.request('/metrics')).text(), 'up 1\n');
    assert.equal((await app.request('/metrics', { method: 'POST' })).status, 405);
    assert.equal((await app.request('/status')).status, 404);
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flagLayer, readSettings, valuesOf } from '../../kernel/settings/settings.ts';
import { optionsOf } from './server-options.ts';
import { SETTINGS } from './settings.ts';

function read(flags: Readonly<Record<string, unknown>>) {
  const problems: string[] = [];
  const given = readSettings(SETTINGS, [flagLayer(flags)], problems);
  return { problems, options: optionsOf(valuesOf(SETTINGS, given)) };
}

const optionsFor = (flags: Readonly<Record<string, unknown>>) => read(flags).options;

test('the defaults are Alertmanager’s', () => {
  const expected = {
    configFile: undefined,
    storagePath: 'data/alerts',
    importPath: 'data',
    listenAddresses: [{ host: undefined, port: 9093 }],
    externalUrl: undefined,
    routePrefix: '',
    corsOrigins: [],
    corsOriginPattern: undefined,
    site: undefined,
    getConcurrency: 0,
    timeoutMs: 0,
    retentionMs: 432_000_000,
    maintenanceIntervalMs: 900_000,
    gcIntervalMs: 1_800_000,
    maxSilences: 0,
    maxSilenceSizeBytes: 0,
    perAlertnameLimit: 0,
    logSilences: false,
    expandEnv: false,
    dispatchStartDelayMs: 0,
    receiverNameInMetrics: false,
    webConfigFile: undefined,
    systemdSocket: false,
    matcherMode: 'fallback',
    clusterListenAddress: { host: '0.0.0.0', port: 9094 },
    clusterPeerName: undefined,
  };
  const options = optionsFor({});
  assert.deepEqual({ ...options, ...expected }, options);
});

test('a limit below 0 means no limit', () => {
  assert.equal(optionsFor({ maxSilences: '-7' }).maxSilences, 0);
  assert.equal(optionsFor({ maxSilences: '999999999999999' }).maxSilences, 999_999_999_999_999);
  for (const written of ['1.5', '', '1e3', '9999999999999999'])
    assert.match(read({ maxSilences: written }).problems.join(), /write a whole number; 0 is no limit/, written);
});

test('the state lies in a folder of the data directory, unless it has its own path', () => {
  const { storagePath, importPath } = optionsFor({ dataDir: 'd' });
  assert.deepEqual([storagePath, importPath], ['d/alerts', 'd']);
  const own = optionsFor({ dataDir: 'd', storagePath: 's' });
  assert.deepEqual([own.storagePath, own.importPath], ['s', 's']);
});

test('the route prefix is the path of the external URL, unless it is given', () => {
  const externalUrl = 'https://a.example/alerts/';
  assert.equal(optionsFor({ externalUrl }).routePrefix, '/alerts');
  assert.equal(optionsFor({ externalUrl, routePrefix: 'x//' }).routePrefix, '/x');
  assert.equal(optionsFor({ externalUrl, routePrefix: '/' }).routePrefix, '');
});

test('a bad regular expression is reported with its error', () => {
  assert.match(
    read({ corsOriginPattern: '(' }).problems.join(),
    /^--web\.cors\.origin: "\(" is invalid; write a regular/,
  );
});

test('features are checked in Alertmanager’s words', () => {
  assert.equal(optionsFor({ features: 'classic-mode,event-recorder' }).matcherMode, 'classic');
  assert.throws(() => optionsFor({ features: 'x' }), {
    message: "unknown option 'x' for --enable-feature",
    exitCode: 1,
  });
  assert.throws(() => optionsFor({ features: 'classic-mode,utf8-strict-mode' }), /cannot have both/);
});

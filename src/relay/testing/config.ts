import assert from 'node:assert/strict';
import type { ConfigOutcome, Variables } from '../../kernel/settings/settings.ts';
import type { CommandLine } from '../config/command-line.ts';
import { type LoadedConfig, loadConfig } from '../config/config-source.ts';
import { ENVIRONMENT_DEFAULTS } from '../config/relay-defaults.ts';
import type { EnvironmentOptions, RelayOptions } from '../config/relay-options.ts';
import type { LocalKeys } from '../local-keys.ts';

// For tests of the relay's configuration, which is read from strings.

export interface Given extends CommandLine {
  readonly file?: string;
  readonly variables?: Variables;
  /** Whether the default file exists; its text is `file`. */
  readonly hasUsualFile?: boolean;
}

/** The relay without any configuration but its environments. */
export const RELAY_DEFAULTS: RelayOptions = {
  port: 8030,
  host: undefined,
  site: undefined,
  streamUri: 'https://stream.launchdarkly.com',
  baseUri: 'https://sdk.launchdarkly.com',
  clientSideBaseUri: 'https://clientsdk.launchdarkly.com',
  environments: [],
  isLocal: false,
  archive: undefined,
  autoConfig: undefined,
  initTimeoutMs: 10_000,
  heartbeatMs: 180_000,
  maxClientConnectionMs: 0,
  disconnectedStatusMs: 60_000,
  pingJitterMs: 0,
  evaluatedStreams: false,
  gracefulShutdownMs: 30_000,
  maxBodyBytes: 5 * 1024 * 1024,
  exitOnError: false,
  exitAlways: false,
  ignoreConnectionErrors: false,
  bigSegmentsStaleAsDegraded: false,
  bigSegments: { staleAfterMs: undefined, logsPatches: false },
  tls: undefined,
  logLevel: 'info',
  events: {
    mode: 'off',
    uri: 'https://events.launchdarkly.com',
    flushMs: 5_000,
    capacity: 1_000,
    maxPayloadBytes: 0,
  },
  prometheus: undefined,
  otlp: undefined,
  proxy: undefined,
  pageToken: undefined,
  deckUrl: undefined,
  recordPath: undefined,
  store: undefined,
  workers: undefined,
};

/** Local keys, for flags without a configured environment. */
export const KEYS: LocalKeys = { sdkKey: 'sdk-own', mobileKey: 'mob-own', envId: 'own' };

/** Without `variables`, environment variables are not read. */
function load({ file, variables, hasUsualFile = false, ...source }: Given): ConfigOutcome<LoadedConfig> {
  const config = file !== undefined && !hasUsualFile ? { config: 'relay.conf' } : {};
  return loadConfig({ ...config, ...(variables && { fromEnv: true }), ...source }, variables ?? {}, {
    exists: (path) => hasUsualFile && path === '/etc/ld-relay.conf',
    read: (path) => {
      if (file !== undefined && (hasUsualFile || path === 'relay.conf')) return file;
      throw Object.assign(new Error('ENOENT: no such file'), { code: 'ENOENT' });
    },
    localKeys: () => KEYS,
  });
}

export function loaded(given: Given): LoadedConfig {
  const outcome = load(given);
  assert.ok(outcome.ok, outcome.ok ? '' : outcome.problems.join('\n'));
  return outcome.value;
}

export const optionsOf = (given: Given): RelayOptions => loaded(given).options;

export function problemsOf(given: Given): readonly string[] {
  const outcome = load(given);
  assert.ok(!outcome.ok, 'it was accepted');
  return outcome.problems;
}

export const environment = (
  name: string,
  sdkKey: string,
  more: Partial<EnvironmentOptions> = {},
): EnvironmentOptions => ({
  ...ENVIRONMENT_DEFAULTS,
  name,
  sdkKey,
  ...more,
});

/** A configuration file with one environment. */
export const ENVIRONMENT = '[Environment "N"]\nsdkKey = sdk-1\n';

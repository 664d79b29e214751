import { isLoopbackHost, type SiteRules } from '../../kernel/http/site-address.ts';
import { valuesOf } from '../../kernel/settings/settings.ts';
import type { LocalKeys } from '../local-keys.ts';
import type { CommandLine } from './command-line.ts';
import { readEnvironments } from './environment-options.ts';
import { checkConfigurationCache, readListOptions } from './list-options.ts';
import { readOtlp } from './otlp.ts';
import {
  DEFAULT_BASE_URI,
  DEFAULT_CLIENT_SIDE_BASE_URI,
  FORMER_BASE_URI,
  LOCAL_ENVIRONMENT,
  LOCAL_HOST,
} from './relay-defaults.ts';
import type { EnvironmentOptions, EventOptions, RelayOptions } from './relay-options.ts';
import { EVENTS, MAIN, PROMETHEUS } from './settings.ts';
import type { GivenSettings } from './settings-draft.ts';
import { checkStorePlaces, readStore } from './store-options.ts';

/** The command line, with the keys of the environment that `flags` serves where none is configured. */
export interface CommandLineSettings extends CommandLine {
  readonly localKeys?: LocalKeys | undefined;
}

/** Makes options of the given settings: fills in defaults, adds contradictions to `problems` and the rest to `warnings`. */
export function readRelayOptions(
  given: GivenSettings,
  commandLine: CommandLineSettings,
  problems: string[],
  warnings: string[],
): RelayOptions {
  const main = valuesOf(MAIN, given.Main);
  const { archive, autoConfig } = readListOptions(given, problems);
  const environments = localEnvironments(readEnvironments(given, problems), commandLine, given, problems);
  const store = readStore(given, problems);
  if (store) checkStorePlaces(environments, { store, archive, autoConfig }, problems, warnings);
  checkConfigurationCache({ autoConfig, store }, warnings);
  const isLocal =
    archive !== undefined || (environments.length > 0 && environments.every(({ dataFile }) => dataFile !== undefined));
  const isUnconfigured = commandLine.flags !== undefined && given.Environment.size === 0;
  const host = commandLine.host ?? main.host ?? (isUnconfigured ? LOCAL_HOST : undefined);
  const port = commandLine.port ?? main.port;
  return {
    port,
    host,
    site: siteOf(commandLine.allowedHost ?? [], isUnconfigured && host !== undefined && isLoopbackHost(host)),
    streamUri: main.streamUri,
    ...readBaseUris(given),
    environments,
    isLocal,
    archive,
    autoConfig,
    initTimeoutMs: main.initTimeout,
    heartbeatMs: main.heartbeatInterval,
    maxClientConnectionMs: main.maxClientConnectionTime,
    disconnectedStatusMs: main.disconnectedStatusTime,
    pingJitterMs: main.pingStreamJitterTime,
    evaluatedStreams: commandLine.evaluatedStreams || main.evaluatedStreams,
    gracefulShutdownMs: main.gracefulShutdownTimeout,
    maxBodyBytes: main.maxClientRequestBodySize,
    exitOnError: main.exitOnError,
    exitAlways: main.exitAlways,
    ignoreConnectionErrors: main.ignoreConnectionErrors,
    bigSegmentsStaleAsDegraded: main.bigSegmentsStaleAsDegraded,
    bigSegments: { staleAfterMs: main.bigSegmentsStaleThreshold, logsPatches: main.traceLogBigSegments },
    tls: readTls(given, problems),
    logLevel: commandLine.logLevel ?? main.logLevel,
    events: readEvents(given, isLocal, problems),
    prometheus: readPrometheus(given, port, problems),
    otlp: readOtlp(given, problems, warnings),
    proxy: readProxy(given, problems, warnings),
    pageToken: commandLine.pageToken ?? main.pageToken,
    deckUrl: commandLine.deckUrl ?? main.deckUrl,
    workers: commandLine.workers ?? main.workers,
    recordPath: commandLine.record ?? main.recordPath,
    store,
  };
}

/** A proxy on this machine may pass on the names of a configured relay; an unconfigured one has none. */
function siteOf(hosts: readonly string[], isLocal: boolean): SiteRules | undefined {
  if (hosts.length === 0 && !isLocal) return undefined;
  return { hosts, allowsOrigin: undefined, hostHint: 'start it with --allowed-host to answer there' };
}

/** `--flags` serves one environment: the one that is configured, or the one called local. */
function localEnvironments(
  environments: readonly EnvironmentOptions[],
  { flags: dataFile, localKeys }: CommandLineSettings,
  given: GivenSettings,
  problems: string[],
): readonly EnvironmentOptions[] {
  if (dataFile === undefined) return environments;
  if (given.OfflineMode.fileDataSource)
    problems.push('--flags: an archive (fileDataSource) is configured, which brings its own flags');
  if (given.AutoConfig.key) problems.push('--flags: automatic configuration has environments of its own');
  const [one] = environments;
  if (!one) return [{ ...LOCAL_ENVIRONMENT, ...localKeys, dataFile }];
  if (environments.length > 1) {
    const names = environments.map(({ name }) => name).join(', ');
    problems.push(
      `--flags serves one environment, and ${environments.length} are configured (${names}): give each its dataFile`,
    );
  }
  return [{ ...one, dataFile }];
}

function readBaseUris({ Main: main }: GivenSettings): Pick<RelayOptions, 'baseUri' | 'clientSideBaseUri'> {
  const given = main.baseUri?.value;
  const isDefault = given === undefined || given === DEFAULT_BASE_URI || given === FORMER_BASE_URI;
  const baseUri = isDefault ? DEFAULT_BASE_URI : given;
  // A private instance serves both.
  const clientSideDefault = isDefault ? DEFAULT_CLIENT_SIDE_BASE_URI : given;
  return { baseUri, clientSideBaseUri: main.clientSideBaseUri?.value ?? clientSideDefault };
}

function readTls({ Main: main }: GivenSettings, problems: string[]): RelayOptions['tls'] {
  const { tlsEnabled, tlsCert, tlsKey, tlsMinVersion } = main;
  if (!tlsEnabled?.value) return undefined;
  if (!tlsCert || !tlsKey) {
    const missing = [...(tlsCert ? [] : ['tlsCert']), ...(tlsKey ? [] : ['tlsKey'])].join(' and ');
    problems.push(`${tlsEnabled.place}: TLS needs ${missing}`);
    return undefined;
  }
  return { certFile: tlsCert.value, keyFile: tlsKey.value, minVersion: tlsMinVersion?.value };
}

function readEvents({ Events: events }: GivenSettings, isLocal: boolean, problems: string[]): EventOptions {
  const { sendEvents, mode } = events;
  if (mode && sendEvents && sendEvents.value !== (mode.value === 'forward'))
    problems.push(`${mode.place}: ${mode.value} contradicts ${sendEvents.place}`);
  const values = valuesOf(EVENTS, events);
  return {
    mode: isLocal ? 'discard' : (values.mode ?? (values.sendEvents ? 'forward' : 'off')),
    uri: values.eventsUri,
    flushMs: values.flushInterval,
    capacity: values.capacity,
    maxPayloadBytes: values.maxInboundPayloadSize ?? 0,
  };
}

function readPrometheus(
  { Prometheus: given }: GivenSettings,
  relayPort: number,
  problems: string[],
): RelayOptions['prometheus'] {
  const { enabled, prefix, port } = valuesOf(PROMETHEUS, given);
  if (!enabled) return undefined;
  if (port === relayPort)
    problems.push(`${(given.port ?? given.enabled)?.place}: the relay itself listens on port ${port}`);
  return { prefix, port };
}

/** HTTPS_PROXY and the like are read by the HTTP client. */
function readProxy({ Proxy: given }: GivenSettings, problems: string[], warnings: string[]): RelayOptions['proxy'] {
  const { url, user, password, ntlmAuth, caCertFiles } = given;
  if (ntlmAuth?.value)
    problems.push(`${ntlmAuth.place}: NTLM is not supported; without it, user and password are sent as Basic`);
  if ((user || password) && !url)
    warnings.push(`${(user ?? password)?.place} has no effect: there is no Proxy url (PROXY_URL)`);
  const files = caCertFiles?.value ?? [];
  if (!url && files.length === 0) return undefined;
  const withUser = url && new URL(url.value);
  if (withUser && user) withUser.username = encodeURIComponent(user.value);
  if (withUser && password) withUser.password = encodeURIComponent(password.value);
  return { url: withUser?.href.replace(/\/$/, ''), caCertFiles: files };
}

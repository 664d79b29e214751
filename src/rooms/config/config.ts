import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { isLoopbackHost } from '../../kernel/http/site-address.ts';
import type { LogFormat, LogLevel } from '../../kernel/log.ts';
import {
  type ConfigOutcome,
  type Flags,
  flagLayer,
  type GivenValues,
  type Layer,
  readSettings,
  type Variables,
  valuesOf,
  variableLayer,
} from '../../kernel/settings/settings.ts';
import { exposureOf } from './exposure.ts';
import type { RoomsOptions } from './rooms-options.ts';
import { SECRETS, SETTINGS } from './settings.ts';

export type RoomsFlags = Flags<typeof SETTINGS>;

/** A configuration file that has been parsed. */
export interface ConfigFile {
  readonly path: string;
  readonly content: unknown;
}

export interface RoomsConfig {
  readonly options: RoomsOptions;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
  readonly warnings: readonly string[];
}

/** Reads the configuration: flags stand above variables, these above the file, and that above defaults. */
export function loadConfig(flags: RoomsFlags, environment: Variables, file?: ConfigFile): ConfigOutcome<RoomsConfig> {
  const problems: string[] = [];
  const variables = variableLayer((name) => environment[name]);
  const layers = [...(file ? [fileLayer(file, problems)] : []), variables, flagLayer(flags)];
  const given = readSettings(SETTINGS, layers, problems);
  if (given['alerts-rooms'] && !given.alerts && !given.relay && !given.dashboard)
    problems.push('--alerts-rooms: there is no alert server for these rooms; give --alerts URL, or leave it out');
  problems.push(...storageProblemsOf(given));
  const options = optionsOf(given, readSettings(SECRETS, [variables], problems));
  if (options.relayUrl !== undefined && options.relayKey === undefined)
    problems.push('--relay: the relay asks for an SDK key; put it into OPSDECK_ROOMS_RELAY_KEY');
  if (options.auth === 'none' && options.exposure !== undefined && !options.insecure)
    problems.push(
      `--auth none lets everybody in as an admin, and ${options.exposure} lets others reach the server: use --auth token, leave that setting out, or force it with --auth insecure-none`,
    );
  if (problems.length > 0) return { ok: false, problems };
  const { 'log-level': logLevel, 'log-format': logFormat } = valuesOf(SETTINGS, given);
  return { ok: true, value: { options, logLevel, logFormat, warnings: warningsOf(options, environment) } };
}

function fileLayer({ path, content }: ConfigFile, problems: string[]): Layer {
  if (content === null || content === undefined) return () => undefined;
  if (typeof content !== 'object' || Array.isArray(content)) {
    problems.push(`${path}: write settings such as "port: 8065"`);
    return () => undefined;
  }
  const values = new Map(Object.entries(content));
  const keys = Object.keys(SETTINGS);
  for (const key of values.keys())
    if (!keys.includes(key)) problems.push(`${path}: there is no setting ${key}; write one of ${keys.join(', ')}`);
  return (key) => (values.has(key) ? { written: values.get(key), place: `${path}: ${key}` } : undefined);
}

/** Settings of the other kind of storage. A variable may stand there for other commands. */
function storageProblemsOf(given: GivenValues<typeof SETTINGS>): readonly string[] {
  const { 'storage-url': url, 'data-dir': dataDir, 'files-dir': filesDir, durability } = given;
  if (!url) return filesDir ? [`${filesDir.place}: files lie in --data-dir; leave it out, or give --storage-url`] : [];
  const isVariable = dataDir?.place === SETTINGS['data-dir'].variable;
  return [
    ...(dataDir && !isVariable ? [`${dataDir.place}: ${url.place} keeps everything in PostgreSQL; leave out one`] : []),
    ...(durability ? [`${durability.place}: PostgreSQL's synchronous_commit decides that; leave it out`] : []),
  ];
}

function optionsOf(given: GivenValues<typeof SETTINGS>, secrets: GivenValues<typeof SECRETS>): RoomsOptions {
  const values = valuesOf(SETTINGS, given);
  const { host, port, 'node-id': nodeId } = values;
  const reach = {
    baseUrl: values['base-url'],
    allowedHosts: values['allowed-host'],
    corsOrigins: values['cors-origin'],
  };
  const exposure = exposureOf({ host, ...reach });
  const mode = values.auth ?? (exposure === undefined ? 'none' : 'token');
  const auth = mode === 'insecure-none' ? 'none' : mode;
  const editWindowMs = values['edit-window'];
  return {
    ...valuesOf(SECRETS, secrets),
    listenAddress: { host, port },
    dataDir: values['data-dir'],
    storageUrl: values['storage-url'],
    storageWaitMs: values['storage-wait'],
    filesDir: values['files-dir'],
    auth,
    insecure: mode === 'insecure-none',
    exposure,
    ...reach,
    maxBodyBytes: values['max-body'],
    maxUploadBytes: values['upload-max'],
    retentionMs: Math.round(values.retention),
    alertsUrl: values.alerts,
    relayUrl: values.relay,
    dashboardUrl: values.dashboard,
    deckUrl: values['deck-url'],
    outboundProxy: values['outbound-proxy'],
    alertsRooms: values['alerts-rooms'],
    readOnly: values['read-only'],
    rateLimits: given['rate-limits']?.value ?? auth === 'token',
    requireIfMatch: values['require-if-match'],
    keepEditHistory: values['edit-history'],
    presence: values.presence,
    editWindowMs: editWindowMs === null ? null : Math.round(editWindowMs),
    durability: values.durability,
    secretsDir: values['secrets-dir'],
    nodeId: nodeId === 'auto' ? newNodeId(values['storage-url'] !== undefined) : nodeId,
  };
}

function newNodeId(hasOthers: boolean): string {
  const id = randomBytes(3).toString('hex');
  return hasOthers ? `${hostname()}-${id}` : id;
}

function warningsOf(options: RoomsOptions, environment: Variables): readonly string[] {
  const { auth, insecure, durability, baseUrl, listenAddress, rateLimits, outboundProxy } = options;
  const warnings: string[] = [];
  const proxy = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'].find((name) => environment[name]);
  if (proxy !== undefined && outboundProxy === undefined)
    warnings.push(`${proxy} is not used for outgoing hooks and copilots; --outbound-proxy sets a proxy for them`);
  if (durability === 'off') warnings.push('durability is off: a power cut can lose changes that were acknowledged');
  if (insecure)
    warnings.push('there is no sign-in: every client that can reach this server is its admin (--auth insecure-none)');
  if (auth === 'token' && !rateLimits) warnings.push('rate limits are off');
  if (auth === 'token' && baseUrl?.startsWith('http:') && !isLoopbackHost(listenAddress.host ?? ''))
    warnings.push('tokens travel unencrypted: put a proxy with TLS in front, and give --base-url https://…');
  return warnings;
}

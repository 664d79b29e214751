import { randomBytes } from 'node:crypto';
import { isLoopbackHost } from '../../kernel/http/site-address.ts';
import { LOG_FORMATS, LOG_LEVELS, type LogFormat, type LogLevel } from '../../kernel/log.ts';
import {
  type ReadValue,
  readDuration,
  readEditWindow,
  readHosts,
  readNumber,
  readOrigins,
  readProxy,
  readRooms,
  readSize,
  readSwitch,
  readText,
  readUrl,
  readWord,
  type Written,
} from './config-values.ts';
import { exposureOf } from './exposure.ts';
import type { RoomsOptions } from './rooms-options.ts';

const MAX_BODY = 2 ** 20;
const MAX_UPLOAD = 2 ** 31;

/** Every setting by its key, which is the flag's and the file's name; its variable is `OPSDECK_ROOMS_` and the key unless told. */
const READERS = {
  host: readText,
  port: readNumber(0, 65_535),
  'data-dir': readText,
  database: readText,
  auth: readWord(['none', 'token', 'insecure-none']),
  'base-url': readUrl,
  'allowed-host': readHosts,
  'cors-origin': readOrigins,
  'node-id': readText,
  'max-body': readSize(1024, MAX_BODY),
  'upload-max': readSize(0, MAX_UPLOAD),
  retention: readDuration,
  alerts: readUrl,
  'outbound-proxy': readProxy,
  'alerts-rooms': readRooms,
  'read-only': readSwitch,
  'rate-limits': readSwitch,
  'require-if-match': readSwitch,
  'edit-history': readSwitch,
  presence: readSwitch,
  'edit-window': readEditWindow,
  durability: readWord(['full', 'off']),
  'secrets-dir': readText,
  'log-level': readWord(LOG_LEVELS),
  'log-format': readWord(LOG_FORMATS),
} as const satisfies Readonly<Record<string, ReadValue<unknown>>>;

type Key = keyof typeof READERS;
type ValueOf<K extends Key> = (typeof READERS)[K] extends ReadValue<infer T> ? T : never;
type Settings = { -readonly [K in Key]?: ValueOf<K> };

const VARIABLES: Readonly<Partial<Record<Key, string>>> = { 'data-dir': 'OPSDECK_DATA_DIR' };
const ADMIN_TOKEN = 'OPSDECK_ROOMS_ADMIN_TOKEN';
const METRICS_TOKEN = 'OPSDECK_ROOMS_METRICS_TOKEN';
const SECRET_KEY = 'OPSDECK_SECRET_KEY';

export type Variables = Readonly<Record<string, string | undefined>>;
/** Flags by key, as they were written. */
export type RoomsFlags = Readonly<Record<string, Written | undefined>>;

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

export type ConfigOutcome =
  | { readonly ok: true; readonly value: RoomsConfig }
  /** All that is wrong, in words that hold no secret. */
  | { readonly ok: false; readonly problems: readonly string[] };

/** Puts the configuration together: flags stand above the environment, that above the file, and that above defaults. */
export function loadConfig(flags: RoomsFlags, environment: Variables, file?: ConfigFile): ConfigOutcome {
  const problems: string[] = [];
  const settings: Settings = {};
  const layers = [
    ...(file ? [fileLayer(file, problems)] : []),
    layerOf((key) => [variableOf(key), environment[variableOf(key)]?.trim() || undefined]),
    layerOf((key) => [`--${key}`, flags[key]]),
  ];
  for (const layer of layers) for (const [key, written] of layer) readSetting(settings, key, written, problems);
  problems.push(...refuseOthers(settings));
  const options = optionsOf(settings, environment, problems);
  if (options.auth === 'none' && options.exposure !== undefined && !options.insecure)
    problems.push(
      `--auth none lets everybody in as an admin, and ${options.exposure} lets others reach the server: use --auth token, leave that setting out, or force it with --auth insecure-none`,
    );
  if (problems.length > 0) return { ok: false, problems };
  const { 'log-level': logLevel = 'info', 'log-format': logFormat = 'logfmt' } = settings;
  return { ok: true, value: { options, logLevel, logFormat, warnings: warningsOf(options, environment) } };
}

interface Source {
  /** How a problem calls the setting. */
  readonly name: string;
  readonly value: Written;
}
type Layer = readonly (readonly [Key, Source])[];

function layerOf(look: (key: Key) => readonly [string, Written | undefined]): Layer {
  return (Object.keys(READERS) as Key[]).flatMap((key) => {
    const [name, value] = look(key);
    return value === undefined ? [] : [[key, { name, value }] as const];
  });
}

function variableOf(key: Key): string {
  return VARIABLES[key] ?? `OPSDECK_ROOMS_${key.toUpperCase().replaceAll('-', '_')}`;
}

function fileLayer({ path, content }: ConfigFile, problems: string[]): Layer {
  if (content === null || content === undefined) return [];
  if (typeof content !== 'object' || Array.isArray(content)) {
    problems.push(`${path}: write settings such as "port: 8065"`);
    return [];
  }
  const layer: [Key, Source][] = [];
  for (const [key, value] of Object.entries(content)) {
    if (!Object.hasOwn(READERS, key))
      problems.push(`${path}: there is no setting ${key}; ${Object.keys(READERS).join(', ')} there are`);
    else layer.push([key as Key, { name: `${path}: ${key}`, value: value as Written }]);
  }
  return layer;
}

function readSetting(settings: Settings, key: Key, { name, value }: Source, problems: string[]): void {
  const read = (READERS[key] as ReadValue<unknown>)(value);
  if (read.ok) Object.assign(settings, { [key]: read.value });
  else if (key === 'outbound-proxy') problems.push(`${name}: the value is not understood; ${read.reason}`);
  else problems.push(`${name}: ${printFound(value)} is not understood; ${read.reason}`);
}

function printFound(value: unknown): string {
  // What stands before an @ may be a name and password.
  const text = (JSON.stringify(value) ?? String(value)).replace(/[^\s"']*@/g, '…@');
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

function refuseOthers(settings: Settings): readonly string[] {
  const problems: string[] = [];
  if (settings.database !== undefined)
    problems.push('--database: PostgreSQL is not part of this build; leave it out to store in --data-dir');
  if (settings['alerts-rooms'] !== undefined && settings.alerts === undefined)
    problems.push('--alerts-rooms: there is no alert server for these rooms; give --alerts URL, or leave it out');
  return problems;
}

function optionsOf(settings: Settings, environment: Variables, problems: string[]): RoomsOptions {
  const { host = '127.0.0.1', port = 8065 } = settings;
  const reach = {
    baseUrl: settings['base-url'],
    allowedHosts: settings['allowed-host'] ?? [],
    corsOrigins: settings['cors-origin'] ?? [],
  };
  const exposure = exposureOf({ host, ...reach });
  const written = settings.auth ?? (exposure === undefined ? 'none' : 'token');
  const auth = written === 'insecure-none' ? 'none' : written;
  return {
    listenAddress: { host, port },
    dataDir: settings['data-dir'] ?? 'data/rooms',
    auth,
    insecure: written === 'insecure-none',
    exposure,
    ...reach,
    maxBodyBytes: settings['max-body'] ?? 65_536,
    maxUploadBytes: settings['upload-max'] ?? 25 * 2 ** 20,
    retentionMs: settings.retention ?? 0,
    alertsUrl: settings.alerts,
    outboundProxy: settings['outbound-proxy'],
    alertsRooms: settings['alerts-rooms'] ?? [],
    readOnly: settings['read-only'] ?? false,
    rateLimits: settings['rate-limits'] ?? auth === 'token',
    requireIfMatch: settings['require-if-match'] ?? false,
    keepEditHistory: settings['edit-history'] ?? true,
    presence: settings.presence ?? true,
    editWindowMs: settings['edit-window'] === undefined ? 24 * 3_600_000 : settings['edit-window'],
    durability: settings.durability ?? 'full',
    adminToken: readToken(ADMIN_TOKEN, environment, problems),
    metricsToken: readToken(METRICS_TOKEN, environment, problems),
    secretKey: environment[SECRET_KEY]?.trim() || undefined,
    secretsDir: settings['secrets-dir'],
    nodeId: settings['node-id'] === undefined || settings['node-id'] === 'auto' ? randomNode() : settings['node-id'],
  };
}

/** The text itself is nobody's business, not even when it is wrong. */
function readToken(name: string, environment: Variables, problems: string[]): string | undefined {
  const token = environment[name]?.trim();
  if (!token) return undefined;
  if (/^[\x21-\x7e]{16,200}$/.test(token)) return token;
  problems.push(`${name}: write 16 to 200 characters without spaces, hard to guess; opsdeck's own begin with odr_`);
  return undefined;
}

const randomNode = () => randomBytes(3).toString('hex');

function warningsOf(options: RoomsOptions, environment: Variables): readonly string[] {
  const { auth, insecure, durability, baseUrl, listenAddress, rateLimits, outboundProxy } = options;
  const warnings: string[] = [];
  const proxy = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'].find((name) => environment[name]);
  if (proxy !== undefined && outboundProxy === undefined)
    warnings.push(`${proxy} is not used for outgoing hooks and copilots; --outbound-proxy sets a proxy for them`);
  if (durability === 'off') warnings.push('durability is off: what was answered can be lost with the power');
  if (insecure)
    warnings.push('nobody signs in: everybody who can reach this server is its admin (--auth insecure-none)');
  if (auth === 'token' && !rateLimits) warnings.push('rate limits are off');
  if (auth === 'token' && baseUrl?.startsWith('http:') && !isLoopbackHost(listenAddress.host ?? ''))
    warnings.push('tokens travel unencrypted: put a proxy with TLS in front, and give --base-url https://…');
  return warnings;
}

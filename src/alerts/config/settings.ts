import { DECK_URL } from '../../kernel/deck/setting.ts';
import { LOG_FORMATS, LOG_LEVELS } from '../../kernel/log.ts';
import { accepted, refused } from '../../kernel/outcome.ts';
import { compileAnchored, type Pattern } from '../../kernel/regexp/regexp.ts';
import {
  anyText,
  boolean,
  duration,
  hostName,
  interval,
  type Kind,
  kindOf,
  listenAddress,
  listOf,
  oneOf,
  optional,
  origin,
  parseHttpUrl,
} from '../../kernel/settings/kind.ts';
import { type Setting, setting } from '../../kernel/settings/settings.ts';
import type { Matcher } from '../domain/matcher/matcher.ts';
import { parseMatchers } from '../domain/matcher/parse.ts';

// Every flag of Alertmanager under its own name, and opsdeck's own. An empty value of an optional one counts as not given, as
// with Alertmanager: its launcher may pass on a variable that is not set.

/** A whole number; one below 0 counts as 0. */
const limit = kindOf('a whole number; 0 is no limit', (found) =>
  /^-?\d{1,15}$/.test(found) ? Math.max(0, Number(found)) : undefined,
);
const httpUrl = kindOf('a whole http or https URL, such as https://alerts.example.org/', parseHttpUrl);
const pattern: Kind<Pattern> = {
  absent: undefined,
  read: (written) => {
    const compiled = compileAnchored(String(written));
    return compiled.ok ? accepted(compiled.pattern) : refused(`write a regular expression: ${compiled.reason}`);
  },
};

const matchers: Kind<readonly Matcher[]> = {
  absent: undefined,
  read: (written) => {
    const parsed = parseMatchers(String(written), 'fallback');
    return parsed.ok ? parsed : refused(`write matchers such as alertname="Watchdog": ${parsed.reason}`);
  },
};

const STATE = {
  configFile: setting('--config.file <file>', anyText, 'the configuration', {
    otherwise: 'alertmanager.yml if there is one, else a built-in one',
  }),
  expandEnv: setting(
    '--config.expand-env',
    boolean,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in a file.
    'in the configuration, ${NAME} stands for a variable of the environment',
  ),
  dataDir: setting(
    '--data-dir <directory>',
    anyText,
    'where the servers keep their state, each in a folder of its own',
    { default: 'data' },
  ),
  storagePath: setting('--storage.path <directory>', anyText, 'where this server keeps its state', {
    otherwise: 'alerts/ in the data directory',
  }),
  storageUrl: setting(
    '--storage.url <url>',
    optional(anyText),
    'postgres://user:password@host/database: the state lies there, shared by all servers with this URL, and not in --storage.path',
    { variable: 'OPSDECK_STORAGE_URL', isSecret: true },
  ),
  storageWaitMs: setting('--storage.wait <duration>', duration, 'how long to wait for that database at the start', {
    default: '30s',
  }),
  retentionMs: setting('--data.retention <duration>', duration, 'how long an expired silence is kept', {
    default: '120h',
  }),
  maintenanceIntervalMs: setting(
    '--data.maintenance-interval <duration>',
    interval,
    'how often old silences are removed',
    { default: '15m' },
  ),
  maxSilences: setting(
    '--silences.max-silences <count>',
    limit,
    'the most silences kept, expired ones included; 0: no limit',
    { default: '0' },
  ),
  maxSilenceSizeBytes: setting('--silences.max-silence-size-bytes <bytes>', limit, 'the largest silence; 0: no limit', {
    default: '0',
  }),
  gcIntervalMs: setting('--alerts.gc-interval <duration>', interval, 'how often resolved alerts are removed', {
    default: '30m',
  }),
  watchdog: setting(
    '--alerts.watchdog <matchers>',
    matchers,
    'alerts that must always fire: once one was seen, its absence is reported; an empty text: none',
    { default: 'alertname="Watchdog"' },
  ),
  perAlertnameLimit: setting(
    '--alerts.per-alertname-limit <count>',
    limit,
    'the most alerts of one alert name; 0: no limit',
    { default: '0' },
  ),
  dispatchStartDelayMs: setting(
    '--dispatch.start-delay <duration>',
    duration,
    'how long after the start the first notifications are sent',
    { default: '0' },
  ),
};

const WEB = {
  listenAddresses: setting(
    '--web.listen-address <address>',
    listOf(listenAddress),
    'where to listen; may be repeated',
    {
      default: ':9093',
    },
  ),
  externalUrl: setting('--web.external-url <url>', optional(httpUrl), 'the URL at which users reach the server'),
  routePrefix: setting('--web.route-prefix <path>', anyText, 'the path below which everything is served', {
    otherwise: 'the path of the external URL',
  }),
  corsOrigins: setting(
    '--web.cors-origin <origin>',
    listOf(origin),
    'an origin whose pages may use every method; may be repeated',
    { otherwise: 'none' },
  ),
  corsOriginPattern: setting(
    '--web.cors.origin <regexp>',
    optional(pattern),
    'origins whose pages may use every method; pages of other origins may then use none',
  ),
  allowedHosts: setting(
    '--web.allowed-host <name>',
    listOf(hostName),
    'a name of the server beside localhost; it then answers under no other, and pages of other origins may use it only if a flag names them; may be repeated',
    { otherwise: 'any' },
  ),
  getConcurrency: setting(
    '--web.get-concurrency <count>',
    limit,
    'the most GETs at once; 0: no limit, as slow readers cost little here',
    { default: '0' },
  ),
  timeoutMs: setting('--web.timeout <duration>', duration, 'how long a request may take; 0: no limit', {
    default: '0',
  }),
  webConfigFile: setting(
    '--web.config.file <file>',
    optional(anyText),
    'TLS and users, as Prometheus servers have them',
  ),
  deckUrl: DECK_URL,
  systemdSocket: setting('--web.systemd-socket', boolean, 'listen on the sockets that systemd passes', {
    isNegatable: true,
  }),
};

const LOGS = {
  logLevel: setting('--log.level <level>', oneOf(LOG_LEVELS), 'the least important lines written', { default: 'info' }),
  logFormat: setting('--log.format <format>', oneOf(LOG_FORMATS), 'the form of a line', { default: 'logfmt' }),
  logSilences: setting('--log.silences', boolean, 'write a line for each silence that is created, updated or ended', {
    isNegatable: true,
  }),
};

const NAMES = {
  features: setting(
    '--enable-feature <names>',
    anyText,
    'classic-mode, utf8-strict-mode, receiver-name-in-metrics or event-recorder; the other names of Alertmanager are accepted',
    { otherwise: 'none' },
  ),
};

const CLUSTER = {
  clusterListenAddress: setting(
    '--cluster.listen-address <address>',
    optional(listenAddress),
    'shown in the status, nothing listens there; empty: the status says disabled, or the web address with --storage.url',
    { default: '0.0.0.0:9094' },
  ),
  clusterPeerName: setting(
    '--cluster.peer-name <name>',
    optional(anyText),
    'the name of this server in status, metrics and history',
    { otherwise: 'random; host and port with --storage.url' },
  ),
};

const WITHOUT_EFFECT: Readonly<Record<string, Setting>> = {
  ...Object.fromEntries(
    [
      'dispatch.maintenance-interval',
      'auto-gomemlimit.ratio',
      'cluster.peer',
      'cluster.advertise-address',
      'cluster.peer-timeout',
      'cluster.peers-resolve-timeout',
      'cluster.gossip-interval',
      'cluster.pushpull-interval',
      'cluster.tcp-timeout',
      'cluster.probe-timeout',
      'cluster.probe-interval',
      'cluster.settle-timeout',
      'cluster.reconnect-interval',
      'cluster.reconnect-timeout',
      'cluster.tls-config',
      'cluster.label',
    ].map((name) => [name, setting(`--${name} <value>`, anyText, 'accepted without effect')]),
  ),
  discovery: setting(
    '--cluster.allow-insecure-public-advertise-address-discovery',
    boolean,
    'accepted without effect',
    { isNegatable: true },
  ),
};

/** The settings of `alerts serve`, by the heading of the help below which they stand. */
export const SETTING_GROUPS = {
  'State and configuration': STATE,
  Web: WEB,
  Logs: LOGS,
  'Matchers and names': NAMES,
  'Cluster, for what is shown: servers share a database (--storage.url), they do not gossip': CLUSTER,
  'Accepted without effect': WITHOUT_EFFECT,
};

export const SETTINGS = { ...STATE, ...WEB, ...LOGS, ...NAMES, ...CLUSTER };

import type { ListenAddress } from '../../kernel/http/listen-address.ts';
import type { SiteRules } from '../../kernel/http/site-address.ts';
import type { Pattern } from '../../kernel/regexp/regexp.ts';
import type { MatcherMode } from '../domain/matcher-parse.ts';

/** All that the alert server is told when it starts. Durations are milliseconds. */
export interface AlertServerOptions {
  /** Undefined: ./alertmanager.yml if there is one, otherwise the built-in configuration. */
  readonly configFile: string | undefined;
  /** The folder of the database; owned by the server while it runs. */
  readonly storagePath: string;
  /** Where an Alertmanager with the same flags kept its state: its silences are taken over from there, once. */
  readonly importPath: string;
  readonly listenAddresses: readonly ListenAddress[];
  /** Where people reach the server. Undefined: the host's name and the bound port. */
  readonly externalUrl: URL | undefined;
  /** Empty, or a path that starts with a slash and does not end with one. */
  readonly routePrefix: string;
  /** Origins whose pages may use every method. */
  readonly corsOrigins: readonly string[];
  /** Origins that match may use every method too, and then pages of all others none. Undefined: those may read and post. */
  readonly corsOriginPattern: Pattern | undefined;
  /** Then pages of other origins, but for those above, can neither read nor change anything. Undefined: Alertmanager's openness. */
  readonly site: SiteRules | undefined;
  /** The most GETs at once; 0: no limit. */
  readonly getConcurrency: number;
  /** How long a request may take; 0: no limit. */
  readonly timeoutMs: number;
  readonly retentionMs: number;
  readonly maintenanceIntervalMs: number;
  readonly gcIntervalMs: number;
  /** 0: no limit. */
  readonly maxSilences: number;
  /** 0: no limit. */
  readonly maxSilenceSizeBytes: number;
  /** 0: no limit. */
  readonly perAlertnameLimit: number;
  readonly logSilences: boolean;
  /** Whether `${NAME}` in the configuration file stands for a variable of the environment. */
  readonly expandEnv: boolean;
  /** Groups are not flushed before so long after the start. */
  readonly dispatchStartDelayMs: number;
  /** Whether the metrics of notifications tell receivers apart. */
  readonly receiverNameInMetrics: boolean;
  /** TLS and users. Undefined: neither. */
  readonly webConfigFile: string | undefined;
  /** Listen where systemd says, and not at the listen addresses. */
  readonly systemdSocket: boolean;
  readonly matcherMode: MatcherMode;
  /** Undefined: clustering is switched off, and /status says so. */
  readonly clusterListenAddress: ListenAddress | undefined;
  /** Undefined: a name is made at the start. */
  readonly clusterPeerName: string | undefined;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Alertmanager's defaults. */
export const ALERT_SERVER_DEFAULTS: Omit<AlertServerOptions, 'storagePath' | 'importPath'> = {
  configFile: undefined,
  listenAddresses: [{ host: undefined, port: 9093 }],
  externalUrl: undefined,
  routePrefix: '',
  corsOrigins: [],
  corsOriginPattern: undefined,
  site: undefined,
  getConcurrency: 0,
  timeoutMs: 0,
  retentionMs: 120 * HOUR_MS,
  maintenanceIntervalMs: 15 * MINUTE_MS,
  gcIntervalMs: 30 * MINUTE_MS,
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

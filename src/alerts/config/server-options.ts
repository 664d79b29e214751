import { join } from 'node:path';
import { CommandError, ExitCode } from '../../kernel/errors.ts';
import type { ListenAddress } from '../../kernel/http/listen-address.ts';
import type { SiteRules } from '../../kernel/http/site-address.ts';
import type { Pattern } from '../../kernel/regexp/regexp.ts';
import { type Values, valuesOf } from '../../kernel/settings/settings.ts';
import type { Matcher } from '../domain/matcher/matcher.ts';
import type { MatcherMode } from '../domain/matcher/parse.ts';
import { SETTINGS } from './settings.ts';

/** How the alert server is started. Durations are milliseconds. */
export interface AlertServerOptions {
  /** Undefined: ./alertmanager.yml if there is one, otherwise the built-in configuration. */
  readonly configFile: string | undefined;
  /** The folder of the database; owned by the server while it runs. */
  readonly storagePath: string;
  /** The PostgreSQL database of several nodes, with its password. Undefined: the folder above. */
  readonly storageUrl: string | undefined;
  /** How long the start waits for an unreachable database. */
  readonly storageWaitMs: number;
  /** Where an Alertmanager with the same flags kept its state: its silences are taken over from there, once. */
  readonly importPath: string;
  readonly listenAddresses: readonly ListenAddress[];
  /** The URL at which users reach the server. Undefined: the host's name and the bound port. */
  readonly externalUrl: URL | undefined;
  /** Empty, or a path that starts with a slash and does not end with one. */
  readonly routePrefix: string;
  /** Origins whose pages may use every method. */
  readonly corsOrigins: readonly string[];
  /** Pages of matching origins may use every method too, and pages of other origins none. Undefined: those may read and post. */
  readonly corsOriginPattern: Pattern | undefined;
  /** Keeps out pages of other origins than those above. Undefined: Alertmanager's openness. */
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
  /** Alerts that must always fire; empty: none. */
  readonly watchdog: readonly Matcher[];
  readonly logSilences: boolean;
  /** Whether `${NAME}` in the configuration file stands for a variable of the environment. */
  readonly expandEnv: boolean;
  /** The first flush of a group is no earlier than this after the start. */
  readonly dispatchStartDelayMs: number;
  /** Whether metrics of notifications have a label for the receiver. */
  readonly receiverNameInMetrics: boolean;
  /** Whether the outputs of `event_recorder` are written. */
  readonly recordsEvents: boolean;
  /** TLS and users. Undefined: neither. */
  readonly webConfigFile: string | undefined;
  /** The hub whose servers the page links to. Undefined: none. */
  readonly deckUrl: string | undefined;
  /** Listen where systemd says, and not at the listen addresses. */
  readonly systemdSocket: boolean;
  readonly matcherMode: MatcherMode;
  /** Undefined: clustering is switched off, and /status says so. */
  readonly clusterListenAddress: ListenAddress | undefined;
  /** Undefined: a name is made at the start. */
  readonly clusterPeerName: string | undefined;
}

/** Makes options of the settings; throws a CommandError for features that do not exist or contradict each other. */
export function optionsOf(values: Values<typeof SETTINGS>): AlertServerOptions {
  const { dataDir, storagePath, routePrefix, externalUrl, features } = values;
  const path = (routePrefix || (externalUrl?.pathname ?? '')).replace(/^\/+|\/+$/g, '');
  return {
    ...values,
    ...featuresOf(features ?? ''),
    storagePath: storagePath ?? join(dataDir, 'alerts'),
    // Alertmanager's own default is data/, without a folder for itself.
    importPath: storagePath ?? dataDir,
    routePrefix: path && `/${path}`,
    site: siteOf(values),
  };
}

/** Alertmanager's openness, unless names are given. */
function siteOf({ allowedHosts, corsOrigins, corsOriginPattern }: Values<typeof SETTINGS>): SiteRules | undefined {
  if (allowedHosts.length === 0) return undefined;
  const allowsOrigin = (origin: string) => corsOrigins.includes(origin) || (corsOriginPattern?.test(origin) ?? false);
  return { hosts: allowedHosts, allowsOrigin, hostHint: 'start it with --web.allowed-host to answer there' };
}

const FEATURES = [
  'classic-mode',
  'utf8-strict-mode',
  'receiver-name-in-metrics',
  'alert-names-in-metrics',
  'group-key-in-metrics',
  'auto-gomemlimit',
  'event-recorder',
];

/** Alertmanager's texts and exit code. */
function featuresOf(list: string): Pick<AlertServerOptions, 'matcherMode' | 'receiverNameInMetrics' | 'recordsEvents'> {
  const names = list.split(',').filter((name) => name !== '');
  const unknown = names.find((name) => !FEATURES.includes(name));
  if (unknown !== undefined)
    throw new CommandError(`unknown option '${unknown}' for --enable-feature`, ExitCode.failed);
  const [classic, strict] = [names.includes('classic-mode'), names.includes('utf8-strict-mode')];
  if (classic && strict) throw new CommandError('cannot have both classic and UTF-8 modes enabled', ExitCode.failed);
  return {
    matcherMode: classic ? 'classic' : strict ? 'utf8-strict' : 'fallback',
    receiverNameInMetrics: names.includes('receiver-name-in-metrics'),
    recordsEvents: names.includes('event-recorder'),
  };
}

/** Alertmanager's defaults. */
export const ALERT_SERVER_DEFAULTS: Omit<AlertServerOptions, 'storagePath' | 'importPath'> = optionsOf(
  valuesOf(SETTINGS),
);

import type { SecureVersion } from 'node:tls';
import type { SiteRules } from '../../kernel/http/site-address.ts';
import type { LogLevel } from '../../kernel/log.ts';
import type { StoreOptions } from '../stores/options.ts';

export type TlsVersion = SecureVersion;

/** How the relay is started: defaults are filled in, and contradictions ruled out. Durations are milliseconds. */
export interface RelayOptions {
  readonly port: number;
  /** Undefined: all interfaces. */
  readonly host: string | undefined;
  /** Undefined: the relay answers under any name. */
  readonly site: SiteRules | undefined;
  readonly streamUri: string;
  readonly baseUri: string;
  readonly clientSideBaseUri: string;
  readonly environments: readonly EnvironmentOptions[];
  /** The number of threads that answer requests; undefined: one for each processor, at most four. */
  readonly workers: number | undefined;
  /** Data comes from files, and events are discarded. */
  readonly isLocal: boolean;
  /** An archive whose environments are served, with these allowed origins and headers; undefined: none. */
  readonly archive:
    | {
        readonly path: string;
        readonly intervalMs: number;
        readonly allowedOrigins: readonly string[];
        readonly allowedHeaders: readonly string[];
        /** Templates with `$CID` for the id of an environment. */
        readonly storePrefix?: string | undefined;
        readonly storeTable?: string | undefined;
      }
    | undefined;
  /** The automatic configuration that names the environments; undefined: none. */
  readonly autoConfig: AutoConfigOptions | undefined;
  readonly initTimeoutMs: number;
  readonly heartbeatMs: number;
  /** 0: never. */
  readonly maxClientConnectionMs: number;
  readonly disconnectedStatusMs: number;
  readonly pingJitterMs: number;
  /** Whether the streams of client-side and mobile SDKs carry evaluated flags instead of pings. */
  readonly evaluatedStreams: boolean;
  readonly gracefulShutdownMs: number;
  readonly maxBodyBytes: number;
  readonly exitOnError: boolean;
  readonly exitAlways: boolean;
  readonly ignoreConnectionErrors: boolean;
  readonly bigSegmentsStaleAsDegraded: boolean;
  readonly bigSegments: BigSegmentOptions;
  readonly tls:
    | { readonly certFile: string; readonly keyFile: string; readonly minVersion: TlsVersion | undefined }
    | undefined;
  readonly logLevel: LogLevel | 'none';
  readonly events: EventOptions;
  /** Prometheus' own listener; undefined: none. */
  readonly prometheus: { readonly prefix: string; readonly port: number } | undefined;
  /** A collector of OpenTelemetry that metrics are sent to; undefined: none. */
  readonly otlp: OtlpOptions | undefined;
  /** Without a URL: no proxy, but these authorities are trusted beside the well-known ones. The URL may hold a password. */
  readonly proxy: { readonly url: string | undefined; readonly caCertFiles: readonly string[] } | undefined;
  /** Opens the page for flags to other machines; undefined: it is only for browsers on this machine. */
  readonly pageToken: string | undefined;
  /** The hub whose servers the page links to. Undefined: none. */
  readonly deckUrl: string | undefined;
  /** A folder that keeps the last data of each environment, for a start during an outage; undefined: none. */
  readonly recordPath: string | undefined;
  /** A database that keeps the data of all environments; undefined: none. */
  readonly store: StoreOptions | undefined;
}

export interface AutoConfigOptions {
  readonly key: string;
  /** The place in the database that keeps the configuration, and the secret that encrypts it; undefined: none. */
  readonly cache: { readonly key: string; readonly secret: string } | undefined;
  /** Of every environment. */
  readonly allowedOrigins: readonly string[];
  readonly allowedHeaders: readonly string[];
  /** Templates with `$CID` for the id of an environment. */
  readonly storePrefix?: string | undefined;
  readonly storeTable?: string | undefined;
}

export interface BigSegmentOptions {
  /** Time without a synchronisation after which the data are stale; undefined: two minutes for results, five for the status. */
  readonly staleAfterMs: number | undefined;
  /** Whether whole patches are logged at debug. */
  readonly logsPatches: boolean;
}

export interface OtlpOptions {
  readonly url: string;
  /** Otherwise protobuf. */
  readonly isJson: boolean;
  readonly isCompressed: boolean;
  /** May hold secrets. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly intervalMs: number;
  /** The attributes of the process. */
  readonly resource: Readonly<Record<string, string>>;
}

export interface EventOptions {
  /** `off`: refused with 503, LaunchDarkly's default; `discard`: accepted and dropped; `forward`: sent on. */
  readonly mode: 'off' | 'discard' | 'forward';
  readonly uri: string;
  readonly flushMs: number;
  readonly capacity: number;
  /** 0: no limit. */
  readonly maxPayloadBytes: number;
}

export interface EnvironmentOptions {
  /** As configured; with a payload filter `name/filter`. */
  readonly name: string;
  readonly sdkKey: string;
  readonly mobileKey: string | undefined;
  readonly envId: string | undefined;
  readonly secureMode: boolean;
  /** Empty: any origin. */
  readonly allowedOrigins: readonly string[];
  readonly allowedHeaders: readonly string[];
  readonly ttlMs: number;
  readonly logLevel: LogLevel | 'none' | undefined;
  readonly projKey: string | undefined;
  /** The payload filter of this variant; undefined: all data. */
  readonly filter: string | undefined;
  /** A flag file, or a folder of them, instead of upstream. */
  readonly dataFile: string | undefined;
  /** Of the keys in the persistent store; undefined: the default of the database. */
  readonly storePrefix: string | undefined;
  /** In DynamoDB; undefined: the common table. */
  readonly storeTable: string | undefined;
  /** Valid besides sdkKey and mobileKey. */
  readonly additionalKeys?: readonly AdditionalKey[];
  /** LaunchDarkly's names, of automatic configuration and archives. */
  readonly labels?: EnvironmentLabels;
}

export interface AdditionalKey {
  readonly sdkKind: 'server' | 'mobile';
  readonly key: string;
  /** Epoch milliseconds; undefined: never. */
  readonly expiresAt: number | undefined;
}

/** Names of an environment and its project; empty if absent. */
export interface EnvironmentLabels {
  readonly envKey: string;
  readonly envName: string;
  readonly projKey: string;
  readonly projName: string;
}

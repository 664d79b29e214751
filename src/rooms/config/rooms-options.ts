import type { ListenAddress } from '../../kernel/http/listen-address.ts';

/** How the rooms are started (config.ts). */
export interface RoomsOptions {
  readonly listenAddress: ListenAddress;
  /** Unused with a database. */
  readonly dataDir: string;
  /** Of the database that holds the rooms of all its nodes, with the password; without it they lie in `dataDir`. */
  readonly storageUrl: string | undefined;
  /** The time an unreachable database gets at the start, in milliseconds. */
  readonly storageWaitMs: number;
  /** The directory of files that the nodes share; without it files lie in the database. */
  readonly filesDir: string | undefined;
  readonly auth: 'none' | 'token';
  /** `none` was forced: every client is admitted, also through a proxy. */
  readonly insecure: boolean;
  /** The setting by which clients outside this machine reach the server (exposure.ts). */
  readonly exposure: string | undefined;
  /** The URL of the server for others: in permalinks, and for whether cookies are `Secure`. */
  readonly baseUrl: string | undefined;
  /** Host names beside this machine's own under which the server answers. */
  readonly allowedHosts: readonly string[];
  readonly corsOrigins: readonly string[];
  /** Maximum bytes of a JSON or text body. */
  readonly maxBodyBytes: number;
  readonly maxUploadBytes: number;
  /** How long messages are kept in rooms without a setting of their own; 0: for ever. */
  readonly retentionMs: number;
  /** The alert server for slash commands and prompts. */
  readonly alertsUrl: string | undefined;
  /** The flag relay of `/flag`, and an SDK key of it. */
  readonly relayUrl: string | undefined;
  readonly relayKey: string | undefined;
  /** The usage dashboard of `/usage`. */
  readonly dashboardUrl: string | undefined;
  /** The hub whose servers the page links to. Undefined: none. */
  readonly deckUrl: string | undefined;
  /** The proxy for addresses that users have entered; may hold a name and password. */
  readonly outboundProxy: string | undefined;
  /** Slugs and ids of the rooms whose members may use these three servers; elsewhere only admins of the server may. */
  readonly alertsRooms: readonly string[];
  readonly readOnly: boolean;
  readonly rateLimits: boolean;
  readonly requireIfMatch: boolean;
  readonly keepEditHistory: boolean;
  readonly presence: boolean;
  /** Maximum number of open event streams; 10,000 unless given. */
  readonly maxStreams?: number;
  /** How long authors may edit their messages: 0 is never, `null` always. */
  readonly editWindowMs: number | null;
  /** `off` is faster, but a power cut can lose acknowledged changes. */
  readonly durability: 'full' | 'off';
  readonly adminToken: string | undefined;
  /** The bearer token of `GET /metrics`; without it every client may read them. */
  readonly metricsToken: string | undefined;
  /** 32 bytes or any text that encrypts the keys of copilots. Without it one is made in the data directory. */
  readonly secretKey: string | undefined;
  /** The directory of `file:` references. */
  readonly secretsDir: string | undefined;
  readonly nodeId: string;
}

import type { ListenAddress } from '../../kernel/http/listen-address.ts';

/** How `rooms serve` was started, checked and whole (config.ts). */
export interface RoomsOptions {
  readonly listenAddress: ListenAddress;
  readonly dataDir: string;
  readonly auth: 'none' | 'token';
  /** `none` was forced: whoever reaches the server is let in, also through a proxy. */
  readonly insecure: boolean;
  /** The setting by which others than the programs of this machine reach the server (exposure.ts). */
  readonly exposure: string | undefined;
  /** How others reach the server: in permalinks, and whether cookies are `Secure`. */
  readonly baseUrl: string | undefined;
  /** Host names beside this machine's own under which it may be asked. */
  readonly allowedHosts: readonly string[];
  readonly corsOrigins: readonly string[];
  /** Of a JSON or text body, in bytes. */
  readonly maxBodyBytes: number;
  readonly maxUploadBytes: number;
  /** How long messages are kept where a room says nothing; 0 is for ever. */
  readonly retentionMs: number;
  /** The alert server for slash commands and prompts. */
  readonly alertsUrl: string | undefined;
  /** Through which public addresses that people have entered are reached; may hold a name and password. */
  readonly outboundProxy: string | undefined;
  /** Slugs and ids of the rooms whose members may use the alert server; elsewhere admins of the server alone may. */
  readonly alertsRooms: readonly string[];
  readonly readOnly: boolean;
  readonly rateLimits: boolean;
  readonly requireIfMatch: boolean;
  readonly keepEditHistory: boolean;
  readonly presence: boolean;
  /** How many event streams may be open; 10,000 unless given. */
  readonly maxStreams?: number;
  /** How long authors may edit what they wrote: 0 is never, `null` always. */
  readonly editWindowMs: number | null;
  /** `off` is fast and loses what the machine's power takes. */
  readonly durability: 'full' | 'off';
  readonly adminToken: string | undefined;
  /** What `GET /metrics` asks for; without it everybody may read them. */
  readonly metricsToken: string | undefined;
  /** 32 bytes or any text: keys of copilots are encrypted with it. Without it one is made in the data directory. */
  readonly secretKey: string | undefined;
  /** From where `file:` references may read. */
  readonly secretsDir: string | undefined;
  readonly nodeId: string;
}

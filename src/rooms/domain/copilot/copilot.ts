import type { Role } from '../member/member.ts';

export const PROVIDER_KINDS = ['openai', 'anthropic', 'echo'] as const;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];
export type CopilotTrigger = 'off' | 'manual' | 'mention' | 'always' | 'alert';

/** The assistant of a room. Its own key, if any, is stored encrypted as a record (`secret`). */
export interface CopilotSettings {
  readonly enabled: boolean;
  readonly name: string;
  /** The name of a profile of the server, or a kind. */
  readonly provider: string;
  /** `null`: the profile's. */
  readonly baseUrl: string | null;
  readonly model: string | null;
  readonly secretRef: string | null;
  readonly apiKeyInfo: ApiKeyInfo;
  readonly instructions: string;
  readonly trigger: CopilotTrigger;
  readonly triggerRoles: readonly Role[];
  readonly triggerKeywords: readonly string[];
  readonly allowBots: boolean;
  readonly replyIn: 'thread' | 'room';
  readonly context: {
    readonly messages: number;
    readonly maxTokens: number;
    readonly scope: 'thread' | 'room';
    readonly includeAlerts: boolean;
    readonly includeFiles: boolean;
  };
  /** `null`: not sent. */
  readonly temperature: number | null;
  readonly maxOutputTokens: number;
  readonly timeouts: {
    readonly connectMs: number;
    readonly firstTokenMs: number;
    readonly idleMs: number;
    readonly totalMs: number;
  };
  /** 0 is no limit. */
  readonly limits: {
    readonly perUserPerHour: number;
    readonly perRoomPerHour: number;
    readonly tokensPerDay: number;
    readonly concurrent: number;
    readonly queue: number;
  };
  readonly redact: { readonly secrets: boolean; readonly emails: boolean; readonly patterns: readonly string[] };
  readonly version: number;
  readonly updatedAt: number;
  readonly updatedBy: string;
}

export interface ApiKeyInfo {
  readonly set: boolean;
  /** `room`, `profile`, `env`, `file`; `null` without a key. */
  readonly source: string | null;
  readonly last4: string | null;
}

/** A copilot's health, in memory. */
export interface CopilotHealth {
  readonly state: 'unknown' | 'ok' | 'error';
  readonly lastError: string | null;
  readonly lastOkAt: number | null;
}

/** A named model address and key, for rooms to refer to. */
export interface Provider {
  readonly name: string;
  readonly kind: ProviderKind;
  readonly baseUrl: string | null;
  readonly model: string | null;
  readonly secretRef: string | null;
  readonly apiKeyInfo: ApiKeyInfo;
  /** Whether its address may be on this machine or in a private network. */
  readonly allowPrivate: boolean;
  readonly version: number;
  readonly updatedAt: number;
}

/** An encrypted key. Its record is `room/<id>`, `provider/<name>` or `hook/<id>`. */
export interface Secret {
  /** base64 of nonce, ciphertext and tag (AES-256-GCM). */
  readonly sealed: string;
  /** The origin that the key is sent to; authenticated together with the key. */
  readonly origin: string;
  /** The secret of a hook before its rotation, which signs deliveries as well until then (epoch milliseconds). */
  readonly previous?: Omit<Secret, 'previous'> & { readonly until: number };
}

import type { Role } from '../member/member.ts';

export type ProviderKind = 'openai' | 'anthropic' | 'echo';
export type CopilotTrigger = 'off' | 'manual' | 'mention' | 'always' | 'alert';

/** The assistant of a room. Its key, if it has one of its own, lies encrypted among the records (`secret`). */
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
  /** `room`, `profile`, `env`, `file`; `null` where none is set. */
  readonly source: string | null;
  readonly last4: string | null;
}

/** How a copilot fares; kept in memory. */
export interface CopilotHealth {
  readonly state: 'unknown' | 'ok' | 'error';
  readonly lastError: string | null;
  readonly lastOkAt: number | null;
}

/** A model's address and key under a name, for rooms to refer to. */
export interface Provider {
  readonly name: string;
  readonly kind: ProviderKind;
  readonly baseUrl: string | null;
  readonly model: string | null;
  readonly secretRef: string | null;
  readonly apiKeyInfo: ApiKeyInfo;
  /** Whether its address may be one of this machine or of a private network. */
  readonly allowPrivate: boolean;
  readonly version: number;
  readonly updatedAt: number;
}

/** A key, encrypted. Its own key among the records: `room/<id>`, `provider/<name>` or `hook/<id>`. */
export interface Secret {
  /** base64 of nonce, ciphertext and tag (AES-256-GCM). */
  readonly sealed: string;
  /** To what it belongs: a key and the origin that it is shown to are one unit. Authenticated with it. */
  readonly origin: string;
}

export type IncomingKind = 'auto' | 'json' | 'slack' | 'alertmanager' | 'text';

interface HookCommon {
  readonly id: string;
  readonly name: string;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly version: number;
  /** The token that created it, or set its secret or address; of a session, the session's parent. */
  readonly tokenId?: string;
}

/** An address that takes posts for a room. */
export interface IncomingHook extends HookCommon {
  readonly direction: 'incoming';
  readonly roomId: string;
  readonly kind: IncomingKind;
  /** SHA-256 of the secret in its path, in hex. */
  readonly secretHash: string;
  /** Posts become replies to this root. */
  readonly threadId: string | null;
}

/** An address that is notified of events. Its signing secret is stored encrypted as a record. */
export interface OutgoingHook extends HookCommon {
  readonly direction: 'outgoing';
  /** `null`: all rooms that its creator may read. */
  readonly roomId: string | null;
  readonly url: string;
  /** Types, `*`, or prefixes such as `message.*`. */
  readonly events: readonly string[];
  readonly enabled: boolean;
  readonly allowPrivate: boolean;
}

export type Hook = IncomingHook | OutgoingHook;

/** The progress of an outgoing hook; a record of its own, since it changes with every delivery. */
export interface HookProgress {
  /** The position of the last event delivered or skipped. */
  readonly cursor: number;
  readonly failures: number;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  /** The first of the current failures. */
  readonly failingSince: number | null;
  /** How often it was set back: what was delivered before does not count then. */
  readonly rewinds?: number;
}

export type IncomingKind = 'auto' | 'json' | 'slack' | 'alertmanager' | 'text';

interface HookCommon {
  readonly id: string;
  readonly name: string;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly version: number;
  /** The token by which it was made, or got its secret or address, or what that began with. */
  readonly tokenId?: string;
}

/** An address at which others post into a room. */
export interface IncomingHook extends HookCommon {
  readonly direction: 'incoming';
  readonly roomId: string;
  readonly kind: IncomingKind;
  /** SHA-256 of the secret in its path, in hex. */
  readonly secretHash: string;
  /** Posts go into the thread of this root. */
  readonly threadId: string | null;
}

/** An address that is told of events. Its signing secret lies encrypted among the records. */
export interface OutgoingHook extends HookCommon {
  readonly direction: 'outgoing';
  /** `null`: of every room that its maker reads. */
  readonly roomId: string | null;
  readonly url: string;
  /** Types, `*`, or prefixes such as `message.*`. */
  readonly events: readonly string[];
  readonly enabled: boolean;
  readonly allowPrivate: boolean;
}

export type Hook = IncomingHook | OutgoingHook;

/** How far an outgoing hook has come; a record of its own, since it moves with every delivery. */
export interface HookProgress {
  /** The position of the last event that was delivered or passed over. */
  readonly cursor: number;
  readonly failures: number;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  /** Since when it fails. */
  readonly failingSince: number | null;
}

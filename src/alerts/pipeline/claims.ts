import type { AlertGroup } from '../store/group.ts';

/** The right to flush a group, which one node has at a time. */
export interface Claim {
  /** Another node may have sent what it has not recorded. */
  readonly isInDoubt: boolean;
  /** It did not hold when it was last confirmed. */
  readonly isLost: boolean;
  /** Resolves with whether it still holds; asked immediately before each request. */
  confirm(): Promise<boolean>;
}

/** A released alert: it has resolved, and its group has notified of that. */
export interface ReleasedAlert {
  readonly fingerprint: string;
  /** Tells this resolution from a later one; epoch milliseconds. */
  readonly endsAt: number;
}

/** The end of a flush. Instants are epoch milliseconds. */
export interface FlushResult {
  /** Undefined: the group is gone. */
  readonly nextFlushAt: number | undefined;
  readonly released: readonly ReleasedAlert[];
}

export type ClaimOutcome =
  | { readonly ok: true; readonly claim: Claim }
  /** Another node has it; `retryAt` is when it may be free, in epoch milliseconds. */
  | { readonly ok: false; readonly retryAt: number };

/** Decides between several nodes which of them flushes a group. */
export interface Claims {
  /** When it resolves, memory has everything that other nodes had committed when the claim was granted. */
  claim(group: AlertGroup): Promise<ClaimOutcome>;
  /** `isInDoubt`: the doubt of the claim remains, for the next one. */
  complete(claim: Claim, result: FlushResult, isInDoubt: boolean): void;
}

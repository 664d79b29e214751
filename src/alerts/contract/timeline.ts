import type { LabelSet, SentNotification } from './wire.ts';

/** GET /timeline: the last day of the alert with these labels. Instants are RFC 3339 texts. */
export interface Timeline {
  readonly fingerprint: string;
  readonly labels: LabelSet;
  readonly from: string;
  readonly to: string;
  /** Oldest first; without an end it fires now. Those before the start of the server are known only if they have not ended. */
  readonly firings: readonly { readonly startsAt: string; readonly endsAt?: string }[];
  /** Whether it fires again and again at present. */
  readonly isFlapping: boolean;
  /** Of silences in force within the day, oldest first. */
  readonly silences: readonly {
    readonly id: string;
    readonly startsAt: string;
    readonly endsAt: string;
    readonly createdBy: string;
    readonly comment: string;
  }[];
  /** To the groups of the alert, newest first. */
  readonly notifications: readonly SentNotification[];
}

import type { CopilotSettings } from '../copilot/copilot.ts';

export type Visibility = 'public' | 'private' | 'direct';

export interface Retention {
  readonly days: number | null;
  readonly maxMessages: number | null;
}

export interface Room {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly topic: string;
  readonly description: string;
  readonly visibility: Visibility;
  readonly readOnly: boolean;
  readonly archived: boolean;
  readonly historyVisibility: 'all' | 'joined';
  readonly labels: Readonly<Record<string, string>>;
  readonly retention: Retention;
  readonly slowModeSeconds: number;
  /** Message ids, in the order in which they were pinned. */
  readonly pinned: readonly string[];
  readonly copilot: CopilotSettings | null;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly version: number;
  /** A deleted room is a tombstone until it is removed for good. */
  readonly deletedAt: number | null;
}

/** What follows from a room's messages. */
export interface RoomHead {
  /** Of the last message; 0 before the first. */
  readonly lastSeq: number;
  /** Of the first message that is still kept; 0 before the first. */
  readonly firstSeq: number;
  readonly lastMessageAt: number | null;
}

export const EMPTY_HEAD: RoomHead = { lastSeq: 0, firstSeq: 0, lastMessageAt: null };

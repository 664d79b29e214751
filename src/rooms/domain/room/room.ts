import type { CopilotSettings } from '../copilot/copilot.ts';
import type { CopilotRequest } from '../copilot/settings.ts';

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
  /** A deleted room is a tombstone until it is purged. */
  readonly deletedAt: number | null;
}

/** The user on call for a room, whom `@oncall` mentions there. */
export interface Duty {
  readonly userId: string;
  /** `null`: until another one is named. */
  readonly until: number | null;
}

/** Facts derived from a room's messages. */
export interface RoomHead {
  /** Of the last message; 0 before the first. */
  readonly lastSeq: number;
  /** Of the oldest message kept; 0 before the first. */
  readonly firstSeq: number;
  readonly lastMessageAt: number | null;
}

export const EMPTY_HEAD: RoomHead = { lastSeq: 0, firstSeq: 0, lastMessageAt: null };

/** The fields of a request; an omitted one takes its default, nested ones that are omitted stay as they are. */
export interface RoomFields {
  readonly name?: string | undefined;
  readonly slug?: string | undefined;
  readonly topic?: string | undefined;
  readonly description?: string | undefined;
  readonly visibility?: Visibility | undefined;
  readonly readOnly?: boolean | undefined;
  readonly archived?: boolean | undefined;
  readonly historyVisibility?: 'all' | 'joined' | undefined;
  readonly labels?: Readonly<Record<string, string>> | null | undefined;
  readonly retention?: RetentionRequest | null | undefined;
  readonly slowModeSeconds?: number | undefined;
  /** A boolean is the caller's own switch, an object the room's copilot; `null` removes it. */
  readonly copilot?: CopilotRequest | boolean | null | undefined;
}

interface RetentionRequest {
  readonly days?: number | null | undefined;
  readonly maxMessages?: number | null | undefined;
}

export interface RoomDraft extends RoomFields {
  readonly members?: readonly string[] | undefined;
}

export interface RoomReplacement extends RoomFields {
  readonly id?: unknown;
  readonly pinned?: unknown;
  readonly createdBy?: unknown;
  readonly createdAt?: unknown;
}

export type RoomProperties = Pick<
  Room,
  | 'topic'
  | 'description'
  | 'visibility'
  | 'readOnly'
  | 'archived'
  | 'historyVisibility'
  | 'labels'
  | 'retention'
  | 'slowModeSeconds'
>;

/** The properties of a room that a request sets; `current` is the room that it replaces. */
export function propertiesOf(fields: RoomFields, current?: Room): RoomProperties {
  const { labels = current?.labels, retention = current?.retention } = fields;
  return {
    topic: fields.topic ?? '',
    description: fields.description ?? '',
    // Renaming a private room must not open it: the visibility stays unless given.
    visibility: fields.visibility ?? current?.visibility ?? 'public',
    readOnly: fields.readOnly ?? false,
    archived: fields.archived ?? false,
    historyVisibility: fields.historyVisibility ?? current?.historyVisibility ?? 'all',
    labels: sortKeys(labels ?? {}),
    retention: { days: retention?.days ?? null, maxMessages: retention?.maxMessages ?? null },
    slowModeSeconds: fields.slowModeSeconds ?? 0,
  };
}

function sortKeys(labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}

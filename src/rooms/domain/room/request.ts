import type { CopilotRequest } from '../copilot/settings.ts';
import type { Room, Visibility } from './room.ts';

/** What somebody may say of a room. What is omitted takes its default, but what is nested stays as it is. */
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
  /** A truth value is the caller's own switch, an object the room's copilot, `null` removes it. */
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

/** What of a room a request decides alone; `current` is what stands there, if anything. */
export type RoomSubstance = Pick<
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

export function substanceOf(fields: RoomFields, current?: Room): RoomSubstance {
  const { labels = current?.labels, retention = current?.retention } = fields;
  return {
    topic: fields.topic ?? '',
    description: fields.description ?? '',
    // Whoever renames a private room does not mean to open it: who may read stays, unless it is said.
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

import type { Committed, EventDraft } from './event.ts';
import type { FileRef } from './file/file.ts';
import type { Member } from './member/member.ts';
import type { Edit, StoredMessage } from './message/message.ts';
import type { RecordChange, RecordKind, Records } from './record.ts';
import type { Outcome, Refusal } from './refusal.ts';
import type { RoomHead } from './room/room.ts';
import type { Run } from './run/run.ts';

/** The state of the rooms at one moment. */
export interface StateView {
  get<K extends RecordKind>(kind: K, key: string): Records[K] | undefined;
  /** All records of a kind, in no particular order. */
  each<K extends RecordKind>(kind: K): Iterable<Records[K]>;
  /** In no particular order. */
  membersOf(roomId: string): Iterable<Member>;
  memberCount(roomId: string): number;
  /** The number of alert cards that fire in the room. */
  firingAlerts(roomId: string): number;
  roomIdsOf(userId: string): Iterable<string>;
  head(roomId: string): RoomHead;
}

/** The state that a decision sees: with all earlier decisions, committed or in the same commit. */
export interface ChangeView extends StateView {
  readonly now: number;
  /** A new UUIDv7. */
  newId(): string;
  /** One of the requested messages; `undefined`: it does not exist. */
  message(id: string): StoredMessage | undefined;
  /** Whether retention removed it less than 7 days ago; only for requested messages. */
  isForgotten(id: string): boolean;
  /** Only for requested messages. */
  hasReacted(key: ReactionKey): boolean;
  /** The sequence number of the room's next message. */
  nextSeq(roomId: string): number;
}

export interface ReactionKey {
  readonly messageId: string;
  readonly emoji: string;
  readonly userId: string;
}

/** An entry of the audit log. */
export interface AuditEntry {
  readonly at: number;
  readonly by: string;
  /** Such as `room.update` or `token.create`. */
  readonly action: string;
  readonly roomId: string | null;
  /** The id of the object; nothing secret. */
  readonly subject: string;
}

/** The writes of one decision, committed as a whole or not at all. */
export interface Write {
  readonly events?: readonly EventDraft[];
  readonly records?: readonly RecordChange[];
  readonly edits?: readonly Edit[];
  readonly runs?: readonly Run[];
  readonly files?: readonly FileRef[];
  readonly audit?: readonly AuditEntry[];
}

export type Decision<T> =
  | Refusal
  | {
      readonly ok: true;
      /** `null`: nothing to write, and the answer is ready. */
      readonly write: Write | null;
      /** Called after the commit, with this decision's events in their order. */
      answer(committed: readonly Committed[]): T;
    };

/** A lease under which something is written, as of one of its owners. */
export interface Fence {
  readonly id: string;
  /** Grows with each owner. */
  readonly fence: number;
}

/** A requested change. Changes are decided one after the other, in order. */
export interface Change<T> {
  /** Ids of the messages that the decision needs. */
  readonly messages?: readonly string[];
  readonly reactions?: readonly ReactionKey[];
  /** Refused with `lease_lost` unless all of these hold at the commit. */
  readonly fences?: readonly Fence[];
  /** Pure; called once per attempt to commit. */
  decide(view: ChangeView): Decision<T>;
}

/** Commits further writes with those of a decision; a refusal of either refuses both. Its answer is the decision's. */
export function joinWrite<T>(decision: Decision<T>, further: Outcome<Write>): Decision<T> {
  if (!decision.ok) return decision;
  if (!further.ok) return further;
  const { write } = decision;
  const joined: Write = {
    ...write,
    // The answer finds its event by its index.
    events: [...(write?.events ?? []), ...(further.value.events ?? [])],
    records: [...(write?.records ?? []), ...(further.value.records ?? [])],
    audit: [...(write?.audit ?? []), ...(further.value.audit ?? [])],
  };
  return { ...decision, write: joined };
}

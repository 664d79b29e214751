import type { Committed, EventDraft } from './event.ts';
import type { FileRef } from './file/file.ts';
import type { Member } from './member/member.ts';
import type { Edit, StoredMessage } from './message/message.ts';
import type { RecordChange, RecordKind, Records } from './record.ts';
import type { Refusal } from './refusal.ts';
import type { RoomHead } from './room/room.ts';
import type { Run } from './run/run.ts';

/** What is known of the rooms at one moment. */
export interface StateView {
  get<K extends RecordKind>(kind: K, key: string): Records[K] | undefined;
  /** All of a kind, in no order that means anything. */
  each<K extends RecordKind>(kind: K): Iterable<Records[K]>;
  /** In no order that means anything. */
  membersOf(roomId: string): Iterable<Member>;
  memberCount(roomId: string): number;
  roomIdsOf(userId: string): Iterable<string>;
  head(roomId: string): RoomHead;
}

/** What a decision sees: the state after all that was decided before it, committed or about to be in the same commit. */
export interface ChangeView extends StateView {
  readonly now: number;
  /** A new UUIDv7. */
  newId(): string;
  /** One of those that the change has asked for; `undefined`: there is none. */
  message(id: string): StoredMessage | undefined;
  /** Whether it was removed by retention less than 7 days ago; of those that the change has asked for. */
  isForgotten(id: string): boolean;
  /** Of those that the change has asked for. */
  hasReacted(key: ReactionKey): boolean;
  /** The sequence number that the next message of the room will get. */
  nextSeq(roomId: string): number;
}

export interface ReactionKey {
  readonly messageId: string;
  readonly emoji: string;
  readonly userId: string;
}

/** A line of the audit log: who did what to what. */
export interface AuditEntry {
  readonly at: number;
  readonly by: string;
  /** Such as `room.update` or `token.create`. */
  readonly action: string;
  readonly roomId: string | null;
  /** What it was done to: an id, and nothing secret. */
  readonly subject: string;
}

/** All that one decision writes, in one commit: all of it or nothing. */
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
      /** `null`: nothing is to be written, and the answer is ready. */
      readonly write: Write | null;
      /** Made after the commit; its argument holds this decision's events, in their order. */
      answer(committed: readonly Committed[]): T;
    };

/** What somebody wants done. It is decided when its turn comes, together with others that wait, in their order. */
export interface Change<T> {
  /** Ids of the messages that the decision must see. */
  readonly messages?: readonly string[];
  readonly reactions?: readonly ReactionKey[];
  /** Pure; called once for each try at a commit. */
  decide(view: ChangeView): Decision<T>;
}

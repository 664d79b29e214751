import type { CopilotSettings } from './copilot/copilot.ts';
import type { Hook } from './hook/hook.ts';
import type { Member } from './member/member.ts';
import type { Message, NewMessage } from './message/message.ts';
import type { Room } from './room/room.ts';
import type { Run } from './run/run.ts';

/** The audience of an event: all readers of its room, or one user. */
interface Addressed {
  /** `null`: of the whole server, sent to admins and to its audience only. */
  readonly roomId: string | null;
  /** The only recipient. */
  readonly audience?: string;
}

interface OfRoom extends Addressed {
  readonly roomId: string;
}

export interface RoomChanged extends OfRoom {
  readonly type: 'room.created' | 'room.updated' | 'room.archived' | 'room.deleted';
  readonly room: Room;
}
export interface MemberChanged extends OfRoom {
  readonly type: 'member.joined' | 'member.left' | 'member.updated' | 'member.banned';
  readonly member: Member;
}
export interface MessageChanged extends OfRoom {
  readonly type: 'message.updated' | 'message.deleted' | 'alert.updated';
  readonly message: Message;
}
export interface MessageCreated extends OfRoom {
  readonly type: 'message.created';
  readonly message: Message;
}
export interface ReactionChanged extends OfRoom {
  readonly type: 'reaction.added' | 'reaction.removed';
  readonly emoji: string;
  readonly userId: string;
  readonly message: Message;
}
export interface PinChanged extends OfRoom {
  readonly type: 'pin.added' | 'pin.removed';
  readonly userId: string;
  readonly message: Message;
}
export interface ReadUpdated extends OfRoom {
  readonly type: 'read.updated';
  readonly audience: string;
  readonly member: Member;
}
export interface CopilotUpdated extends OfRoom {
  readonly type: 'copilot.updated';
  readonly copilot: CopilotSettings | null;
}
export interface RunChanged extends OfRoom {
  readonly type: 'run.queued' | 'run.started' | 'run.finished';
  readonly run: Run;
}
export interface HookChanged extends Addressed {
  readonly type: 'hook.created' | 'hook.updated' | 'hook.deleted' | 'hook.paused';
  readonly hook: Hook;
}
export interface TokenRevoked extends Addressed {
  readonly type: 'token.revoked';
  readonly roomId: null;
  readonly audience: string;
  readonly tokenId: string;
}

/** A durable event. It holds the whole new object, so that a client that missed the last event misses nothing. */
export type RoomEvent =
  | RoomChanged
  | MemberChanged
  | MessageCreated
  | MessageChanged
  | ReactionChanged
  | PinChanged
  | ReadUpdated
  | CopilotUpdated
  | RunChanged
  | HookChanged
  | TokenRevoked;

/** A message to be created; the commit gives it its sequence number. */
export interface MessageDraft extends OfRoom {
  readonly type: 'message.created';
  readonly message: NewMessage;
  readonly contentHash: string;
}

/** An event to be committed. */
export type EventDraft = Exclude<RoomEvent, MessageCreated> | MessageDraft;

export type EventType = RoomEvent['type'];

/** An event with its place in the log. */
export interface Committed {
  /** 1, 2, 3 … over all rooms, without holes. */
  readonly pos: number;
  readonly event: RoomEvent;
  /** The event's data on the wire, as JSON, whose first key is `pos`. */
  readonly data: string;
}

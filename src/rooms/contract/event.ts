import type { StateView } from '../domain/change.ts';
import type {
  CopilotUpdated,
  HookChanged,
  MemberChanged,
  MessageChanged,
  MessageCreated,
  PinChanged,
  ReactionChanged,
  ReadUpdated,
  RoomChanged,
  RoomEvent,
  RunChanged,
  TokenRevoked,
} from '../domain/event.ts';
import type { Message } from '../domain/message/message.ts';
import type { UserRef } from '../domain/user/user.ts';
import { type WireCopilot, wireCopilot } from './copilot.ts';
import { type WireHookEvent, wireHookEvent } from './hook.ts';
import { type WireMe, type WireMember, wireMe, wireMember } from './member.ts';
import type { WireMessage } from './message.ts';
import { MESSAGE_KEY, printMessage } from './message-json.ts';
import { type WireRoom, wireRoom } from './room.ts';
import { type WireRun, wireRun } from './run.ts';

interface MessagePart {
  /** The message's. */
  readonly seq: number;
  readonly message: WireMessage;
}

type ByType<E extends RoomEvent, Part> = Readonly<
  Record<E['type'], { readonly pos: number; readonly roomId: E['roomId'] } & Readonly<Part>>
>;

/** The data of every durable event, by its type. */
export type WireEvents = ByType<RoomChanged, { room: WireRoom }> &
  ByType<MemberChanged, { member: WireMember }> &
  ByType<MessageCreated | MessageChanged, MessagePart> &
  ByType<ReactionChanged, MessagePart & { emoji: string; userId: string }> &
  ByType<PinChanged, MessagePart & { userId: string }> &
  ByType<ReadUpdated, { me: WireMe }> &
  ByType<CopilotUpdated, { copilot: WireCopilot | null }> &
  ByType<RunChanged, { run: WireRun }> &
  ByType<HookChanged, { hook: WireHookEvent }> &
  ByType<TokenRevoked, { tokenId: string }>;

export type MessageEvent = Extract<RoomEvent, { message: Message }>;

/** The data of a message's event as JSON, without its beginning `{"pos":…,`, which the store adds. */
export function printMessageEvent(event: MessageEvent): string {
  return `"roomId":${JSON.stringify(event.roomId)},${printMessagePart(event)}}`;
}

/** As `printMessageEvent`, for every other event; `view` is the state after it. */
export function printObjectEvent(event: Exclude<RoomEvent, MessageEvent>, view: StateView): string {
  return `"roomId":${JSON.stringify(event.roomId)},${printObjectPart(event, view)}}`;
}

function printMessagePart(event: MessageEvent): string {
  const { message } = event;
  const json = `"seq":${message.seq},${MESSAGE_KEY}${printMessage(message)}`;
  if (event.type === 'reaction.added' || event.type === 'reaction.removed')
    return `"emoji":${JSON.stringify(event.emoji)},"userId":${JSON.stringify(event.userId)},${json}`;
  if (event.type === 'pin.added' || event.type === 'pin.removed')
    return `"userId":${JSON.stringify(event.userId)},${json}`;
  return json;
}

function printObjectPart(event: Exclude<RoomEvent, MessageEvent>, view: StateView): string {
  switch (event.type) {
    case 'room.created':
    case 'room.updated':
    case 'room.archived':
    case 'room.deleted': {
      const { roomId } = event;
      const facts = {
        head: view.head(roomId),
        memberCount: view.memberCount(roomId),
        firingAlerts: view.firingAlerts(roomId),
      };
      return printPart<RoomChanged>({ room: wireRoom(event.room, facts) });
    }
    case 'member.joined':
    case 'member.left':
    case 'member.updated':
    case 'member.banned':
      return printPart<MemberChanged>({ member: wireMember(event.member, userRef(view, event.member.userId)) });
    case 'read.updated':
      return printPart<ReadUpdated>({ me: wireMe(event.member) });
    case 'copilot.updated':
      return printPart<CopilotUpdated>({ copilot: event.copilot && wireCopilot(event.copilot) });
    case 'run.queued':
    case 'run.started':
    case 'run.finished':
      // The prompt is a message, or only in answers about the run: later members may not read what was said before.
      return printPart<RunChanged>({ run: wireRun({ ...event.run, prompt: null }) });
    case 'hook.created':
    case 'hook.updated':
    case 'hook.deleted':
    case 'hook.paused':
      return printPart<HookChanged>({ hook: wireHookEvent(event.hook, view.get('progress', event.hook.id)) });
    case 'token.revoked':
      return printPart<TokenRevoked>({ tokenId: event.tokenId });
  }
}

const printPart = <E extends RoomEvent>(part: Omit<WireEvents[E['type']], 'pos' | 'roomId'>): string =>
  JSON.stringify(part).slice(1, -1);

function userRef(view: StateView, userId: string): UserRef {
  return view.get('user', userId) ?? { id: userId, name: userId, kind: 'human' };
}

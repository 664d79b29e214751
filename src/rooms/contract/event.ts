import type { StateView } from '../domain/change.ts';
import type { RoomEvent } from '../domain/event.ts';
import type { Message } from '../domain/message/message.ts';
import type { UserRef } from '../domain/user/user.ts';
import { wireHookEvent } from './hook.ts';
import { printMessage } from './message-json.ts';
import { wireCopilot, wireMe, wireMember, wireRoom } from './room.ts';
import { wireRun } from './run.ts';

/** Where the object of a message's event begins in its data: it comes last, after what holds no quotes of its own. */
const MESSAGE_KEY = '"message":';

export type MessageEvent = Extract<RoomEvent, { message: Message }>;

/** An event's data on the wire, but for its position, as JSON: the store puts `{"pos":…,` before it. */
export function printMessageEvent(event: MessageEvent): string {
  return `"roomId":${JSON.stringify(event.roomId)},${printMessagePart(event)}}`;
}

/** As printMessageEvent, for an event of anything else; `view` is the state after it. */
export function printObjectEvent(event: Exclude<RoomEvent, MessageEvent>, view: StateView): string {
  return `"roomId":${JSON.stringify(event.roomId)},${printObjectPart(event, view)}}`;
}

/** The JSON of the message in the data of a message's event. */
export function messageJsonOf(data: string): string {
  return data.slice(data.indexOf(MESSAGE_KEY) + MESSAGE_KEY.length, -1);
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
      const facts = { head: view.head(event.roomId), memberCount: view.memberCount(event.roomId) };
      return `"room":${JSON.stringify(wireRoom(event.room, facts))}`;
    }
    case 'member.joined':
    case 'member.left':
    case 'member.updated':
    case 'member.banned':
      return `"member":${JSON.stringify(wireMember(event.member, userRef(view, event.member.userId)))}`;
    case 'read.updated':
      return `"me":${JSON.stringify(wireMe(event.member))}`;
    case 'copilot.updated':
      return `"copilot":${JSON.stringify(event.copilot && wireCopilot(event.copilot))}`;
    case 'run.queued':
    case 'run.started':
    case 'run.finished':
      // Its words are a message's, or told to who asks for the run: whoever joins later may not read what was before.
      return `"run":${JSON.stringify(wireRun({ ...event.run, prompt: null }))}`;
    case 'hook.created':
    case 'hook.updated':
    case 'hook.deleted':
    case 'hook.paused':
      return `"hook":${JSON.stringify(wireHookEvent(event.hook, view.get('progress', event.hook.id)))}`;
    case 'token.revoked':
      return `"tokenId":${JSON.stringify(event.tokenId)}`;
  }
}

function userRef(view: StateView, userId: string): UserRef {
  return view.get('user', userId) ?? { id: userId, name: userId, kind: 'human' };
}

// Writes as the rooms' writer prepares them, for tests of stores.
import { createHash } from 'node:crypto';
import { printMessageEvent } from '../../contract/event.ts';
import type { EventDraft } from '../../domain/event.ts';
import type { Message, NewMessage } from '../../domain/message/message.ts';
import type { Run } from '../../domain/run/run.ts';
import type { PreparedEvent, PreparedWrite, RoomStore } from '../../store/store.ts';

export const START = Date.UTC(2026, 2, 14, 9);

/** Ids of messages are unique in a store; those of tests count from 1. */
let messages = 0;

export function newMessage(roomId: string, parts: Partial<NewMessage> = {}): NewMessage {
  messages++;
  return {
    id: `message-${messages}`,
    roomId,
    author: { id: 'ana', name: 'Ana', kind: 'human' },
    type: 'text',
    body: `text ${messages}`,
    format: 'markdown',
    replyTo: null,
    threadId: null,
    alsoInRoom: false,
    thread: null,
    mentions: { users: [], room: false, copilot: false },
    attachments: [],
    card: null,
    silent: false,
    reactions: [],
    status: 'complete',
    run: null,
    pinned: false,
    deleted: false,
    deletedAt: null,
    deletedBy: null,
    deleteReason: null,
    edited: null,
    version: 1,
    createdAt: START,
    updatedAt: START,
    ...parts,
  };
}

export const contentHash = (message: NewMessage): string => createHash('sha256').update(message.body).digest('hex');

export const created = (message: NewMessage): PreparedEvent => ({
  draft: { type: 'message.created', roomId: message.roomId, message, contentHash: contentHash(message) },
  body: null,
});

type MessageChange = Extract<EventDraft, { message: Message }>;

export const changed = (draft: MessageChange): PreparedEvent => ({ draft, body: printMessageEvent(draft) });

/** An event without a message. */
export function runStarted(roomId: string, audience?: string): PreparedEvent {
  const draft = {
    type: 'run.started' as const,
    roomId,
    run: newRun({ roomId }),
    ...(audience === undefined ? {} : { audience }),
  };
  return { draft, body: `"roomId":${JSON.stringify(roomId)},"run":{}}` };
}

export function newRun(parts: Partial<Run> = {}): Run {
  return {
    id: 'run-1',
    roomId: 'room-1',
    state: 'running',
    triggerId: null,
    startedBy: 'ana',
    prompt: null,
    threadId: null,
    messageId: null,
    audience: null,
    retryOf: null,
    provider: 'echo',
    model: null,
    text: null,
    saw: [],
    finishReason: null,
    usage: null,
    error: null,
    queuedAt: START,
    startedAt: START,
    finishedAt: null,
    ...parts,
  };
}

export const write = (...events: readonly PreparedEvent[]): PreparedWrite => ({ events });

/** Posts each in its own write, all in one commit, and returns the committed messages. */
export async function post(store: RoomStore, ...drafts: readonly NewMessage[]): Promise<readonly Message[]> {
  const committed = await store.append(drafts.map((draft) => write(created(draft))));
  return committed.flat().flatMap(({ event }) => (event.type === 'message.created' ? [event.message] : []));
}

/** A deleted message. */
export const tombstoneOf = (message: Message): Message => ({
  ...message,
  body: '',
  attachments: [],
  card: null,
  reactions: [],
  mentions: { users: [], room: false, copilot: false },
  deleted: true,
  deletedAt: START + 1,
  deletedBy: 'ana',
  version: message.version + 1,
});

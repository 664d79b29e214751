import type { Message } from './wire.ts';

/** A message of a room for tests; ids follow the sequence number unless given. */
export function makeMessage(seq: number, change: Partial<Message> = {}): Message {
  return {
    id: `m${seq}`,
    roomId: 'r1',
    seq,
    author: { id: 'ben', name: 'Ben', kind: 'human' },
    type: 'text',
    body: `message ${seq}`,
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
    edited: null,
    version: 1,
    createdAt: new Date(Date.UTC(2030, 0, 1, 12, 0, seq)).toISOString(),
    ...change,
  };
}

import type { WireMe } from '../../src/rooms/contract/member.ts';
import type { WireMessage } from '../../src/rooms/contract/message.ts';

/** The caller's membership of a room. */
export const me: WireMe = {
  role: 'member',
  involvement: 'mentions',
  mutedUntil: null,
  archived: false,
  copilot: false,
  lastReadSeq: 0,
  threadReads: {},
  version: 1,
};

/** A message of a room for tests; ids follow the sequence number unless given. */
export function makeMessage(seq: number, change: Partial<WireMessage> = {}): WireMessage {
  const createdAt = new Date(Date.UTC(2030, 0, 1, 12, 0, seq)).toISOString();
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
    deletedAt: null,
    deletedBy: null,
    deleteReason: null,
    edited: null,
    version: 1,
    createdAt,
    updatedAt: createdAt,
    ...change,
  };
}

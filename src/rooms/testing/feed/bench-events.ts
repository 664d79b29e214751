// The events of a bench of streams: a public room, and marked messages of about 700 bytes on the wire.
import type { Write } from '../../domain/change.ts';
import type { EventDraft } from '../../domain/event.ts';
import { record } from '../../domain/record.ts';
import { messageDraft, roomNamed } from './parts.ts';

/** Occurs once in each message and nowhere else, so that a reader counts without parsing. */
export const MARK = '~';

let messages = 0;

export function benchRoom(): Write {
  const room = { ...roomNamed('bench-room'), slug: 'bench', visibility: 'public' as const };
  return {
    events: [{ type: 'room.created', roomId: room.id, room }],
    records: [record('room', room.id, room), record('slug', room.slug, { roomId: room.id })],
  };
}

export function benchEvents(count: number): readonly EventDraft[] {
  return Array.from({ length: count }, () => {
    const message = messageDraft(`message-${++messages}`, 'bench-room', `${'x'.repeat(100)}${MARK}`, 'ana', 0);
    return { type: 'message.created', roomId: 'bench-room', message, contentHash: '' } as const;
  });
}

import { printMessageEvent } from '../contract/event.ts';
import type { Committed, EventDraft, RoomEvent } from '../domain/event.ts';
import type { PreparedEvent, PreparedWrite } from './store.ts';
import { eventPlace, type PrintedWrite, printCommit } from './store-entry.ts';

/** The state of the log from which events get their positions. */
export interface Standing {
  pos: number;
  /** By room id. */
  readonly lastSeqs: Map<string, number>;
}

/** One placed commit. The placement changes only when it is accepted. */
export interface Placed {
  readonly committed: readonly (readonly Committed[])[];
  /** For the engine. */
  readonly payload: Uint8Array;
  /** Ids of the created messages. */
  readonly ids: readonly string[];
  /** Advances the placement past the commit. */
  takeOver(): void;
}

/** Gives each event the next position, and each new message the next sequence number of its room. */
export function placeWrites(writes: readonly PreparedWrite[], standing: Standing): Placed {
  const lastSeqs = new Map<string, number>();
  const printed: PrintedWrite[] = [];
  const texts: string[] = [];
  const ids: string[] = [];
  let { pos } = standing;
  const placeEvent = ({ draft, body }: PreparedEvent) => {
    const event = placeDraft(draft, (roomId) => {
      const seq = (lastSeqs.get(roomId) ?? standing.lastSeqs.get(roomId) ?? 0) + 1;
      lastSeqs.set(roomId, seq);
      return seq;
    });
    const text = body ?? printBody(event);
    const { type, roomId, audience = null } = event;
    const hash = draft.type === 'message.created' ? draft.contentHash : null;
    if (event.type === 'message.created') ids.push(event.message.id);
    texts.push(text);
    const place = eventPlace({ type, roomId, seq: 'message' in event ? event.message.seq : 0, audience, hash });
    return { place, committed: { pos: ++pos, event, data: `{"pos":${pos},${text}` } };
  };
  const committed = writes.map(({ events, ...rest }) => {
    const placed = events.map(placeEvent);
    printed.push({ ...rest, events: placed.map(({ place }) => place) });
    return placed.map(({ committed }) => committed);
  });
  return {
    committed,
    payload: printCommit(standing.pos, printed, texts),
    ids,
    takeOver() {
      standing.pos = pos;
      for (const [roomId, seq] of lastSeqs) standing.lastSeqs.set(roomId, seq);
    },
  };
}

function placeDraft(draft: EventDraft, nextSeq: (roomId: string) => number): RoomEvent {
  if (draft.type !== 'message.created') return draft;
  const { type, roomId, message, audience } = draft;
  const event = { type, roomId, message: { ...message, seq: nextSeq(roomId) } };
  return audience === undefined ? event : { ...event, audience };
}

function printBody(event: RoomEvent): string {
  if ('message' in event) return printMessageEvent(event);
  throw new Error(`an event of the type ${event.type} came without its text`);
}

import type { StateView } from '../change.ts';
import type { RoomChanged } from '../event.ts';
import type { NewMessage } from '../message/message.ts';
import { isAlertCard } from '../message/reserved-message.ts';
import { type RecordChange, record } from '../record.ts';
import { readCard } from './alert-card.ts';

/** A card that can change without a notice: it fires, or shows a silence. Other cards have no such record. */
export interface LiveCard {
  readonly roomId: string;
  readonly isFiring: boolean;
  readonly isSilenced: boolean;
}

interface CardWrites {
  readonly records: readonly RecordChange[];
  readonly events: readonly RoomChanged[];
}

const NOTHING: CardWrites = { records: [], events: [] };

/** The record of a message's card after it was written, and an event if the room has more or fewer firing alerts. */
export function followCard(view: StateView, message: Pick<NewMessage, 'id' | 'roomId' | 'type' | 'author' | 'card'>) {
  if (!isAlertCard(message)) return NOTHING;
  return liveCardWrites(view, message.id, liveCardOf(message));
}

/** The writes for a card whose message is gone. */
export const forgetCard = (view: StateView, id: string): CardWrites => liveCardWrites(view, id, undefined);

function liveCardWrites(view: StateView, id: string, card: LiveCard | undefined): CardWrites {
  const old = view.get('card', id);
  if (JSON.stringify(card) === JSON.stringify(old)) return NOTHING;
  const roomId = (card ?? old)?.roomId ?? '';
  const room = view.get('room', roomId);
  const isCounted = room !== undefined && (card?.isFiring ?? false) !== (old?.isFiring ?? false);
  return {
    records: [record('card', id, card ?? null)],
    events: isCounted ? [{ type: 'room.updated', roomId, room }] : [],
  };
}

function liveCardOf({ roomId, card: json }: Pick<NewMessage, 'roomId' | 'card'>): LiveCard | undefined {
  const card = readCard(json);
  if (!card) return undefined;
  const isFiring = card.state === 'firing';
  const isSilenced = card.silence !== null;
  return isFiring || isSilenced ? { roomId, isFiring, isSilenced } : undefined;
}

import type { StateView } from '../change.ts';
import type { RoomChanged } from '../event.ts';
import type { NewMessage } from '../message/message.ts';
import { isAlertCard } from '../message/reserved-message.ts';
import { type RecordChange, record } from '../record.ts';
import { readCard } from './alert-card.ts';

/** A card that can change without a notice: it fires, or shows a silence. Other cards have no such record. */
export interface LiveCard {
  readonly roomId: string;
  /** Of its message. */
  readonly version: number;
  readonly isFiring: boolean;
  /** It changes with the alert server's silences and alerts. */
  readonly isWatched: boolean;
}

interface CardWrites {
  readonly records: readonly RecordChange[];
  readonly events: readonly RoomChanged[];
}

const NOTHING: CardWrites = { records: [], events: [] };

/** The record of a message's card after it was written, and an event if the room has more or fewer firing alerts. */
export function followCard(view: StateView, message: Omit<NewMessage, 'seq'>): CardWrites {
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

function liveCardOf({ roomId, version, card: json }: Omit<NewMessage, 'seq'>): LiveCard | undefined {
  const card = readCard(json);
  if (!card) return undefined;
  const isFiring = card.state === 'firing';
  const isWatched = card.silence !== null || card.isListed === true;
  return isFiring || isWatched ? { roomId, version, isFiring, isWatched } : undefined;
}

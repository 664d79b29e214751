import type { JsonObject, JsonValue } from '../message/message.ts';
import { type Refusal, refuse } from '../refusal.ts';

const MAX_CARD_BYTES = 32 * 1024;
const MAX_CARD_DEPTH = 32;

/** Limits the size and depth of a card. */
export function checkCard(card: JsonObject | null): Refusal | undefined {
  const path = 'card';
  if (card === null) return undefined;
  if (isDeeper(card, MAX_CARD_DEPTH))
    return refuse('invalid_body', `card: is nested deeper than ${MAX_CARD_DEPTH} levels`, { path });
  if (Buffer.byteLength(JSON.stringify(card)) > MAX_CARD_BYTES)
    return refuse('too_large', `card: is larger than ${MAX_CARD_BYTES} bytes of JSON`, { path });
  return undefined;
}

function isDeeper(value: JsonValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeper(item as JsonValue, levels - 1));
}

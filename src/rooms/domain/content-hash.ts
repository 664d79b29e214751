import { hash } from 'node:crypto';
import type { JsonObject, JsonValue, MessageFormat, MessageType } from './message/message.ts';

/** The content by which posts are compared. */
export interface PostContent {
  readonly roomId: string;
  readonly type: MessageType;
  readonly body: string;
  readonly format: MessageFormat;
  readonly replyTo: string | null;
  readonly threadId: string | null;
  /** File ids. */
  readonly attachments: readonly string[];
  readonly card: JsonObject | null;
}

/** SHA-256, in hex, of a post's content; the order of a card's keys does not count. */
export function hashContent(content: PostContent): string {
  const { roomId, type, body, format, replyTo, threadId, attachments, card } = content;
  const canonical = [roomId, type, body, format, replyTo, threadId, attachments, card && sortKeys(card)];
  return hash('sha256', JSON.stringify(canonical), 'hex');
}

/** Whether two cards are equal. */
export function isSameCard(a: JsonObject | null, b: JsonObject | null): boolean {
  return a === b || (a !== null && b !== null && JSON.stringify(sortKeys(a)) === JSON.stringify(sortKeys(b)));
}

/** Entries instead of an object, in which keys such as `1` or `__proto__` are special. */
function sortKeys(value: JsonValue): unknown {
  if (isList(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return { object: entries.map(([key, item]) => [key, sortKeys(item)]) };
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

import type { RetentionQuery } from './store.ts';

/** A message of a room's beginning. */
export interface AgedMessage {
  readonly id: string;
  readonly seq: number;
  readonly createdAt: number;
}

/** The number of a room's first messages that have to be looked at. */
export const agedCount = ({ limit, keep }: RetentionQuery): number => limit + keep.length;

/**
 * Messages expire from a room's beginning: a message stays until all before it may go, except kept ones. `maxMessages`
 * counts sequence numbers back from `lastSeq`.
 */
export function expiredOf(
  { before, maxMessages, keep, limit }: RetentionQuery,
  first: readonly AgedMessage[],
  lastSeq: number,
): readonly { readonly id: string; readonly seq: number }[] {
  const kept = new Set(keep);
  const lastToGo = maxMessages === null ? 0 : lastSeq - maxMessages;
  const expired: { id: string; seq: number }[] = [];
  for (const { id, seq, createdAt } of first) {
    if (kept.has(id)) continue;
    const isOld = before !== null && createdAt < before;
    if (expired.length === limit || (seq > lastToGo && !isOld)) break;
    expired.push({ id, seq });
  }
  return expired;
}

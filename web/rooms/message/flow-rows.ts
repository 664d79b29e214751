import type { WireMessage } from '../../../src/rooms/contract/message.ts';
import type { OutboxItem } from '../composer/outbox.ts';

/** One row of a flow, with a key that stays the same as long as it is the same row. */
export type Row =
  | { readonly kind: 'message'; readonly key: string; readonly message: WireMessage; readonly isGrouped: boolean }
  | { readonly kind: 'pending'; readonly key: string; readonly item: OutboxItem; readonly isGrouped: boolean }
  | { readonly kind: 'notice'; readonly key: string; readonly text: string; readonly id: string }
  | { readonly kind: 'day'; readonly key: string; readonly at: number }
  | { readonly kind: 'new'; readonly key: string };

export interface Flow {
  readonly messages: readonly WireMessage[];
  /** Whether the last message is the room's last: unsent messages follow it then. */
  readonly isAtEnd: boolean;
  readonly pending: readonly OutboxItem[];
  readonly notices: readonly { readonly id: string; readonly text: string }[];
  /** Messages after this one are new; `undefined`: nothing is. */
  readonly newAfterSeq: number | undefined;
  readonly userId: string;
  /** The number of the day, in the time zone of the browser. */
  readonly dayOf: (at: number) => number;
}

/** Messages of one author within this time share one heading. */
const GROUP_MS = 5 * 60_000;

/** The rows of a room's flow, from top to bottom. */
export function rowsOf(flow: Flow, shows: (message: WireMessage) => boolean): readonly Row[] {
  const rows: Row[] = [];
  let last: { readonly author: string; readonly at: number; readonly groups: boolean } | undefined;
  let day: number | undefined;
  let isNewMarked = false;
  // The user's own message marks everything before it as seen.
  const ownSeq = flow.messages.findLast(({ author }) => author.id === flow.userId)?.seq ?? 0;
  for (const message of flow.messages) {
    if (!shows(message)) continue;
    const at = Date.parse(message.createdAt);
    const today = flow.dayOf(at);
    if (today !== day) {
      rows.push({ kind: 'day', key: `day-${today}`, at });
      day = today;
      last = undefined;
    }
    const isNew = flow.newAfterSeq !== undefined && message.seq > Math.max(flow.newAfterSeq, ownSeq);
    if (isNew && !isNewMarked && message.author.id !== flow.userId) {
      isNewMarked = true;
      rows.push({ kind: 'new', key: 'new' });
      last = undefined;
    }
    const groups = message.type === 'text' || message.type === 'file';
    const isGrouped = groups && last?.groups === true && last.author === message.author.id && at - last.at < GROUP_MS;
    rows.push({ kind: 'message', key: message.id, message, isGrouped: isGrouped && message.replyTo === null });
    last = { author: message.author.id, at, groups };
  }
  if (!flow.isAtEnd) return rows;
  const known = new Set(flow.messages.map(({ id }) => id));
  for (const item of flow.pending) {
    if (known.has(item.id)) continue;
    const isGrouped = last?.groups === true && last.author === flow.userId && item.replyTo === null;
    rows.push({ kind: 'pending', key: item.id, item, isGrouped });
    last = { author: flow.userId, at: item.createdAt, groups: true };
  }
  for (const { id, text } of flow.notices) rows.push({ kind: 'notice', key: id, id, text });
  return rows;
}

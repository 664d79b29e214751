import type { WireMessage } from './message.ts';

/** A thread in which the caller has written or is mentioned, with unread replies. */
export interface WireUnreadThread {
  readonly root: WireMessage;
  /** The last unread reply. */
  readonly last: WireMessage;
  readonly unread: number;
}

/** The unread mentions and threads of the caller's rooms, each list with the newest first. */
export interface WireInbox {
  readonly mentions: readonly WireMessage[];
  readonly threads: readonly WireUnreadThread[];
}

/** `WireInbox` as JSON; the messages are JSON already. */
export function printInbox(
  mentions: readonly string[],
  threads: readonly { readonly root: string; readonly last: string; readonly unread: number }[],
): string {
  const printed = threads.map(({ root, last, unread }) => `{"root":${root},"last":${last},"unread":${unread}}`);
  return `{"mentions":[${mentions.join(',')}],"threads":[${printed.join(',')}]}`;
}

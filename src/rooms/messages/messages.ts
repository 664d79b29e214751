import type { Caller } from '../domain/caller.ts';
import type { ChangeView, Write } from '../domain/change.ts';
import type { FixedFields } from '../domain/message/edit.ts';
import type {
  JsonObject,
  Message,
  MessageFormat,
  MessageStatus,
  MessageType,
  RunRef,
  StoredMessage,
} from '../domain/message/message.ts';
import type { RewriteTarget } from '../domain/message/rewrite.ts';
import type { Outcome } from '../domain/refusal.ts';

/** A message to be posted. */
export interface Post {
  /** The room's id or slug. */
  readonly room: string;
  /** Chosen by the sender, so that a repeated post is recognised; else by the server. */
  readonly id?: string | undefined;
  readonly type?: MessageType | undefined;
  readonly body: string;
  readonly format?: MessageFormat | undefined;
  readonly replyTo?: string | null | undefined;
  readonly threadId?: string | null | undefined;
  readonly alsoInRoom?: boolean | undefined;
  /** Ids of files that the sender may read. */
  readonly attachments?: readonly string[] | undefined;
  readonly card?: JsonObject | null | undefined;
  readonly silent?: boolean | undefined;
  /** Of a copilot's message; `complete` by default. */
  readonly status?: MessageStatus | undefined;
  readonly run?: RunRef | null | undefined;
  /** For the server's own parts: any type, with a card, under an own id, in the caller's name. */
  readonly byServer?: boolean;
}

export interface Posted {
  readonly stored: StoredMessage;
  /** The same post was made before. */
  readonly replayed: boolean;
}

/** A requested edit; `undefined` keeps attachments and card, and resets scalars. */
export interface MessageEdit {
  readonly body?: string | undefined;
  readonly format?: MessageFormat | undefined;
  readonly attachments?: readonly string[] | undefined;
  readonly card?: JsonObject | null | undefined;
  readonly silent?: boolean | undefined;
  /** Immutable fields, as sent; a difference is refused. */
  readonly fixed?: FixedFields | undefined;
}

/** A change by the server itself: of a copilot's text or an alert's card. */
export interface Rewrite {
  readonly body?: string;
  readonly card?: JsonObject | null;
  readonly status?: MessageStatus;
  readonly run?: RunRef | null;
  readonly silent?: boolean;
  /** `alert.updated` instead of `message.updated`. */
  readonly isAlert?: boolean;
}

/** Writes of the same commit as a new message; a refusal refuses the message too. */
export type FurtherWrite = (view: ChangeView) => Outcome<Write>;

/** Posts and changes messages, for requests, copilots, hooks and commands alike. */
export interface Messages {
  /** A repeated post does not write `further` again. */
  post(caller: Caller, post: Post, further?: FurtherWrite): Promise<Outcome<Posted>>;
  /** Whether a post without attachments would be accepted as new. */
  check(caller: Caller, post: Post): Promise<Outcome<null>>;
  edit(caller: Caller, id: string, edit: MessageEdit, ifMatch?: string): Promise<Outcome<StoredMessage>>;
  /** Leaves a tombstone, which a repeated call returns. */
  remove(
    caller: Caller,
    id: string,
    options: { readonly reason?: string | undefined; readonly ifMatch?: string | undefined },
  ): Promise<Outcome<StoredMessage>>;
  /** For the server itself: without history or rights. A tombstone is refused. A function decides on the current message. */
  rewrite(
    target: RewriteTarget,
    rewrite: Rewrite | ((current: Message) => Outcome<Rewrite>),
  ): Promise<Outcome<StoredMessage>>;
  pin(caller: Caller, id: string, pinned: boolean): Promise<Outcome<StoredMessage>>;
  /** A message that the caller may read; else `message_not_found`. */
  find(caller: Caller, id: string): Promise<Outcome<StoredMessage>>;
}

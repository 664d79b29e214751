import type { Caller } from '../domain/caller.ts';
import type { FixedFields } from '../domain/message/edit.ts';
import type {
  JsonObject,
  MessageFormat,
  MessageStatus,
  MessageType,
  RunRef,
  StoredMessage,
} from '../domain/message/message.ts';
import type { RewriteTarget } from '../domain/message/rewrite.ts';
import type { Outcome } from '../domain/refusal.ts';

/** A message as somebody sends it. */
export interface Post {
  /** The room's id or slug. */
  readonly room: string;
  /** Chosen by the sender, so that the same post is known again; else the server's. */
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
  /** Of a copilot's message; `complete` unless given. */
  readonly status?: MessageStatus | undefined;
  readonly run?: RunRef | null | undefined;
  /** Of the server's own parts alone: any type, with a card, under an id of theirs, in the caller's name. */
  readonly byServer?: boolean;
}

export interface Posted {
  readonly stored: StoredMessage;
  /** It was there already: the same post has come again. */
  readonly replayed: boolean;
}

/** What an edit puts in the place of what was there; `undefined` keeps attachments and card, and resets scalars. */
export interface MessageEdit {
  readonly body?: string | undefined;
  readonly format?: MessageFormat | undefined;
  readonly attachments?: readonly string[] | undefined;
  readonly card?: JsonObject | null | undefined;
  readonly silent?: boolean | undefined;
  /** What cannot be changed, as the sender has it; a difference is refused. */
  readonly fixed?: FixedFields | undefined;
}

/** What the server itself changes of a message that is not a person's: a copilot's text, an alert's card. */
export interface Rewrite {
  readonly body?: string;
  readonly card?: JsonObject | null;
  readonly status?: MessageStatus;
  readonly run?: RunRef | null;
  readonly silent?: boolean;
  /** `alert.updated` instead of `message.updated`. */
  readonly isAlert?: boolean;
}

/** Everything that posts, be it a request, a copilot, a hook or a command, posts through this. */
export interface Messages {
  post(caller: Caller, post: Post): Promise<Outcome<Posted>>;
  /** Whether a post without attachments would be taken as a new message now. */
  check(caller: Caller, post: Post): Promise<Outcome<null>>;
  edit(caller: Caller, id: string, edit: MessageEdit, ifMatch?: string): Promise<Outcome<StoredMessage>>;
  /** Leaves a tombstone. A tombstone is answered as it is. */
  remove(
    caller: Caller,
    id: string,
    options: { readonly reason?: string | undefined; readonly ifMatch?: string | undefined },
  ): Promise<Outcome<StoredMessage>>;
  /** Without history and without asking who may: for the server itself. A tombstone is refused. */
  rewrite(target: RewriteTarget, rewrite: Rewrite): Promise<Outcome<StoredMessage>>;
  /** One that the caller may read; else `message_not_found`. */
  find(caller: Caller, id: string): Promise<Outcome<StoredMessage>>;
}

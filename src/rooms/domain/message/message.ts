import type { FileRef } from '../file/file.ts';
import type { RunError, RunUsage } from '../run/run.ts';
import type { UserRef } from '../user/user.ts';

export const MESSAGE_ID = /^[A-Za-z0-9_-]{8,64}$/;

export type MessageType = 'text' | 'file' | 'alert' | 'command' | 'system';
export type MessageFormat = 'markdown' | 'plain';
export type MessageStatus = 'complete' | 'streaming' | 'failed' | 'cancelled';

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };
export type JsonObject = { readonly [key: string]: JsonValue };

export interface Reaction {
  readonly emoji: string;
  readonly count: number;
  /** The first users, at most 20. */
  readonly userIds: readonly string[];
}

export interface ThreadSummary {
  readonly replies: number;
  readonly lastReplyAt: number;
  /** User ids, the latest last, at most 5. */
  readonly participants: readonly string[];
}

export interface Mentions {
  readonly users: readonly string[];
  /** `@all` */
  readonly room: boolean;
  readonly copilot: boolean;
}

/** The run of a copilot's message. */
export interface RunRef {
  readonly id: string;
  /** The id of the message that asked, if any. */
  readonly trigger: string | null;
  readonly model: string;
  readonly finishReason: string | null;
  readonly usage: RunUsage | null;
  readonly error: RunError | null;
}

export interface Message {
  readonly id: string;
  readonly roomId: string;
  /** 1, 2, 3 … in its room, without holes. */
  readonly seq: number;
  readonly author: UserRef;
  readonly type: MessageType;
  readonly body: string;
  readonly format: MessageFormat;
  /** The id of a quoted message of the same room. */
  readonly replyTo: string | null;
  /** The id of the thread's root, a message of the same room. */
  readonly threadId: string | null;
  /** Of a reply in a thread: also shown in the main flow. */
  readonly alsoInRoom: boolean;
  /** Of a root with replies. */
  readonly thread: ThreadSummary | null;
  readonly mentions: Mentions;
  readonly attachments: readonly FileRef[];
  readonly card: JsonObject | null;
  /** Notifies nobody and counts as read. */
  readonly silent: boolean;
  readonly reactions: readonly Reaction[];
  readonly status: MessageStatus;
  readonly run: RunRef | null;
  readonly pinned: boolean;
  readonly deleted: boolean;
  readonly deletedAt: number | null;
  readonly deletedBy: string | null;
  readonly deleteReason: string | null;
  readonly edited: { readonly count: number; readonly at: number; readonly by: string } | null;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A message before its commit. */
export type NewMessage = Omit<Message, 'seq'>;

/** A message as stored. */
export interface StoredMessage {
  readonly message: Message;
  /** Its wire form (contract/message.ts), reactions without `me`. */
  readonly json: string;
  /**
   * SHA-256, in hex, of the original post, by which a repeated post is recognised. Empty if the server chose the id:
   * such a post is not repeated, or is compared with the current content.
   */
  readonly contentHash: string;
}

/** A message's text before an edit. */
export interface Edit {
  readonly messageId: string;
  /** The version with this text. */
  readonly version: number;
  readonly body: string;
  readonly format: MessageFormat;
  readonly editedAt: number;
  readonly editedBy: string;
}

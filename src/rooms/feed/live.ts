import type { Message } from '../domain/message/message.ts';

/** An ephemeral event: sent to open streams and not stored. */
export interface EphemeralEvent {
  readonly type: 'typing' | 'presence' | 'message.delta' | 'message.snapshot' | 'note';
  readonly roomId: string;
  /** The only recipient. */
  readonly audience?: string;
  /** Of the message that it is about; hidden with that message. */
  readonly seq?: number;
  /** JSON. */
  readonly data: string;
}

/** Sends to all listeners of a room. */
export interface Announcer {
  announce(event: EphemeralEvent): void;
}

/** The messages being written now: a new listener gets their text so far. */
export interface StreamingMessages {
  streamingIn(roomId: string): readonly StreamingMessage[];
}

export interface StreamingMessage {
  readonly messageId: Message['id'];
  readonly seq: number;
  readonly runId: string;
  /** Written so far. */
  readonly text: string;
}

import type { Message } from '../domain/message/message.ts';

/** What is told to those who listen now, and to nobody later. */
export interface EphemeralEvent {
  readonly type: 'typing' | 'presence' | 'message.delta' | 'message.snapshot' | 'note';
  readonly roomId: string;
  /** The only user who gets it. */
  readonly audience?: string;
  /** Of the message that it is about: whoever may not see that one is not told of it either. */
  readonly seq?: number;
  /** JSON. */
  readonly data: string;
}

/** Tells everybody who listens to a room. */
export interface Announcer {
  announce(event: EphemeralEvent): void;
}

/** Knows the messages that are being written now: who begins to listen in the middle gets them whole. */
export interface StreamingMessages {
  streamingIn(roomId: string): readonly StreamingMessage[];
}

export interface StreamingMessage {
  readonly messageId: Message['id'];
  readonly seq: number;
  readonly runId: string;
  /** So far. */
  readonly text: string;
}

import { readMessage } from '../contract/message-json.ts';
import type { Message, StoredMessage } from '../domain/message/message.ts';
import type { StoredText } from './engine.ts';

/** The JSON is parsed on first use. */
export function toStoredMessage({ json, contentHash }: StoredText): StoredMessage {
  let message: Message | undefined;
  return {
    json,
    contentHash,
    get message() {
      message ??= readMessage(json);
      return message;
    },
  };
}

import { CommandError, ExitCode } from '../../../kernel/errors.ts';
import type { WireMessage } from '../../contract/message.ts';
import type { RoomsClient } from '../client.ts';
import { Follower } from '../follower.ts';
import { safeLines } from '../output.ts';
import { pageSchema } from '../wire.ts';

export interface Reply {
  readonly text: string;
  readonly raw: WireMessage;
}

/** The first complete answer of another user: in the message's thread, or as a reply to it. */
export async function awaitReply(
  client: RoomsClient,
  room: string,
  message: WireMessage,
  waitMs: number,
): Promise<Reply> {
  const root = message.threadId ?? message.id;
  const isReply = (other: WireMessage): boolean =>
    other.seq > message.seq &&
    other.author.id !== message.author.id &&
    other.status !== 'streaming' &&
    (other.threadId === root || other.replyTo === message.id);
  const over = new AbortController();
  const cancel = client.clock.after(waitMs, () => over.abort());
  try {
    const page = await client.get(`/api/room/${room}/message?after=${message.seq}&limit=200`, pageSchema);
    const found = page.messages.find(isReply) ?? (await follow(client, room, page.cursor, isReply, over.signal));
    if (found) return { raw: found, text: `${safeLines(found.body).join('\n')}\n` };
    throw new CommandError(`no reply within ${Math.round(waitMs / 1000)}s; the message was sent`, ExitCode.failed);
  } finally {
    cancel();
    over.abort();
  }
}

async function follow(
  client: RoomsClient,
  room: string,
  cursor: string,
  isReply: (message: WireMessage) => boolean,
  signal: AbortSignal,
): Promise<WireMessage | undefined> {
  const types = 'message.created,message.updated';
  const follower = new Follower(client, { rooms: room, types, cursor, ephemeral: false, signal });
  for await (const event of follower.events()) {
    if (event.kind === 'message' && isReply(event.message)) return event.message;
  }
  return undefined;
}

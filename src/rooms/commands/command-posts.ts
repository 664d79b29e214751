import type { RoomAccess } from '../domain/access.ts';
import type { Caller } from '../domain/caller.ts';
import { type AlertCard, readCard } from '../domain/card/alert-card.ts';
import { type CommandCard, commandJson } from '../domain/card/command-card.ts';
import { isAlertCard } from '../domain/message/reserved-message.ts';
import { accepted, type Outcome, type Refusal, refuse } from '../domain/refusal.ts';
import type { Messages, Post, Posted } from '../messages/messages.ts';

/** What a command came to: a message that all see, or words for the asker alone. */
export type CommandAnswer =
  | { readonly kind: 'posted'; readonly posted: Posted }
  | { readonly kind: 'notice'; readonly text: string; readonly card: CommandCard | null };

export const notice = (text: string, card: CommandCard | null = null): Outcome<CommandAnswer> =>
  accepted({ kind: 'notice', text, card });

/** A command, its asker, and the asker's access to the room. */
export interface Asked {
  readonly caller: Caller;
  readonly post: Post;
  readonly access: RoomAccess;
  /** The message's, chosen before anything is done, so that what is done can refer to it. */
  readonly id: string;
}

/** What is said of a command. */
export interface CommandWords {
  readonly body: string;
  readonly card: CommandCard;
}

/** An alert in whose thread, or as an answer to which, a command stands. */
export interface FoundAlert {
  readonly id: string;
  readonly card: AlertCard;
}

/** Posts what commands have done. */
export class CommandPosts {
  readonly #messages: Messages;

  constructor(messages: Messages) {
    this.#messages = messages;
  }

  /** Why words about a command could not be posted now. */
  async refusalOf(asked: Asked, words: CommandWords): Promise<Refusal | undefined> {
    const checked = await this.#messages.check(asked.caller, postOf(asked, words));
    return checked.ok ? undefined : checked;
  }

  async post(asked: Asked, words: CommandWords): Promise<Outcome<CommandAnswer>> {
    const posted = await this.#messages.post(asked.caller, postOf(asked, words));
    return posted.ok ? accepted({ kind: 'posted', posted: posted.value }) : posted;
  }

  /** Acts only where the words about it can be posted, and then posts them; `act` says what has become of the words. */
  async act(
    asked: Asked,
    foreseen: CommandWords,
    act: () => Promise<Outcome<CommandWords>>,
  ): Promise<Outcome<CommandAnswer>> {
    const refusal = await this.refusalOf(asked, foreseen);
    if (refusal) return refusal;
    const done = await act();
    return done.ok ? this.post(asked, done.value) : done;
  }

  /** A message of the same person in the same room that was posted for the same id before: it is not done twice. */
  async doneBefore({ caller, access }: Pick<Asked, 'caller' | 'access'>, id: string | undefined) {
    const found = id === undefined ? undefined : await this.#messages.find(caller, id);
    if (!found?.ok) return undefined;
    const { message } = found.value;
    if (message.author.id !== caller.user.id || message.type !== 'command' || message.roomId !== access.room.id)
      return refuse('id_conflict', `the id ${id} is taken; take another`, { path: 'id' });
    if (message.deleted) return refuse('deleted', `the message ${id} was deleted; take another id`);
    return accepted<CommandAnswer>({ kind: 'posted', posted: { stored: found.value, replayed: true } });
  }

  /** As its asker may see it, in the room of the command alone. */
  async alertOf({ caller, post: { threadId, replyTo }, access }: Asked): Promise<FoundAlert | undefined> {
    const id = threadId ?? replyTo;
    const found = id ? await this.#messages.find(caller, id) : undefined;
    if (!id || !found?.ok) return undefined;
    const { message } = found.value;
    const card = message.roomId === access.room.id && isAlertCard(message) ? readCard(message.card) : undefined;
    return card && { id, card };
  }
}

function postOf({ post, access, id }: Asked, { body, card }: CommandWords): Post {
  const { threadId = null, replyTo = null, alsoInRoom = false } = post;
  const place = { room: access.room.id, threadId, replyTo, alsoInRoom };
  return { ...place, id, type: 'command', byServer: true, body, card: commandJson(card) };
}

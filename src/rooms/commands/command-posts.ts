import { type AlertCard, readCard } from '../domain/card/alert-card.ts';
import { type CommandCard, commandJson, readCommandCard } from '../domain/card/command-card.ts';
import { noSuchMessage } from '../domain/message/access.ts';
import type { Message, StoredMessage } from '../domain/message/message.ts';
import { isAlertCard } from '../domain/message/reserved-message.ts';
import { accepted, type Outcome, type Refusal, refuse } from '../domain/refusal.ts';
import type { FurtherWrite, Messages, Post } from '../messages/messages.ts';
import type { RoomStore } from '../store/store.ts';
import type { CommandAnswer, CommandMessage, CommandRequest, CommandResult } from './command.ts';

/** The alert in whose thread a command is written, or to which it replies. */
export interface FoundAlert {
  readonly id: string;
  readonly card: AlertCard;
}

/** A message of a command, with its card. */
export interface FoundCard {
  readonly message: Message;
  readonly card: CommandCard;
}

/** Posts and changes the messages of commands. */
export class CommandPosts {
  readonly #messages: Messages;
  readonly #store: Pick<RoomStore, 'messages'>;

  constructor(messages: Messages, store: Pick<RoomStore, 'messages'>) {
    this.#messages = messages;
    this.#store = store;
  }

  /** Why the message could not be posted now. */
  async refusalOf(request: CommandRequest, message: CommandMessage): Promise<Refusal | undefined> {
    const checked = await this.#messages.check(request.caller, postOf(request, message));
    return checked.ok ? undefined : checked;
  }

  async post(request: CommandRequest, message: CommandMessage, further?: FurtherWrite): Promise<CommandResult> {
    const posted = await this.#messages.post(request.caller, postOf(request, message), further);
    return posted.ok ? accepted({ kind: 'posted', posted: posted.value }) : posted;
  }

  /** Acts only if the `expected` message could be posted, and then posts the message that `act` returns. */
  async act(
    request: CommandRequest,
    expected: CommandMessage,
    act: () => Promise<Outcome<CommandMessage>>,
  ): Promise<CommandResult> {
    const refusal = await this.refusalOf(request, expected);
    if (refusal) return refusal;
    const done = await act();
    return done.ok ? this.post(request, done.value) : done;
  }

  /** The message that the same user has posted in the same room under this id: a command is not done twice. */
  async findEarlier(
    { caller, access }: Pick<CommandRequest, 'caller' | 'access'>,
    id: string | undefined,
  ): Promise<CommandResult | undefined> {
    const found = id === undefined ? undefined : await this.#messages.find(caller, id);
    if (!found?.ok) return undefined;
    const { message } = found.value;
    if (message.author.id !== caller.user.id || message.type !== 'command' || message.roomId !== access.room.id)
      return refuse('id_conflict', `the id ${id} is taken; take another`, { path: 'id' });
    if (message.deleted) return refuse('deleted', `the message ${id} was deleted; take another id`);
    return accepted<CommandAnswer>({ kind: 'posted', posted: { stored: found.value, replayed: true } });
  }

  /** Changes the message of a command; `change` sees it as it is when the change is decided. */
  async changeCard(
    id: string,
    change: (card: CommandCard, message: Message) => Outcome<CommandMessage>,
  ): Promise<Outcome<StoredMessage>> {
    const [found] = await this.#store.messages([id]);
    if (!found || !isCommandMessage(found.message)) return noSuchMessage(id);
    const { roomId, type, author } = found.message;
    return this.#messages.rewrite({ id, roomId, type, authorId: author.id }, (current) => {
      const card = readCommandCard(current.card);
      const next = card ? change(card, current) : noSuchMessage(id);
      return next.ok ? accepted({ body: next.value.body, card: commandJson(next.value.card) }) : next;
    });
  }

  /** The command to which a command replies, and that in whose thread it is written, if the caller may see them. */
  async cardsOf({ caller, post: { threadId, replyTo }, access }: CommandRequest): Promise<readonly FoundCard[]> {
    const cards: FoundCard[] = [];
    for (const id of [replyTo, threadId]) {
      const found = id ? await this.#messages.find(caller, id) : undefined;
      if (!found?.ok) continue;
      const { message } = found.value;
      const card = message.roomId === access.room.id && isCommandMessage(message) && readCommandCard(message.card);
      if (card) cards.push({ message, card });
    }
    return cards;
  }

  /** The alert of a command, if the caller may see it and it is of the same room. */
  async alertOf({ caller, post: { threadId, replyTo }, access }: CommandRequest): Promise<FoundAlert | undefined> {
    const id = threadId ?? replyTo;
    const found = id ? await this.#messages.find(caller, id) : undefined;
    if (!id || !found?.ok) return undefined;
    const { message } = found.value;
    const card = message.roomId === access.room.id && isAlertCard(message) ? readCard(message.card) : undefined;
    return card && { id, card };
  }
}

const isCommandMessage = ({ type }: Message): boolean => type === 'command';

function postOf({ post, access, id }: CommandRequest, { body, card, attachments }: CommandMessage): Post {
  const { threadId = null, replyTo = null, alsoInRoom = false } = post;
  const place = { room: access.room.id, threadId, replyTo, alsoInRoom };
  return { ...place, id, type: 'command', byServer: true, body, card: commandJson(card), attachments };
}

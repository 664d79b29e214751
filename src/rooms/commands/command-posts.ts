import { type AlertCard, readCard } from '../domain/card/alert-card.ts';
import { commandJson } from '../domain/card/command-card.ts';
import { isAlertCard } from '../domain/message/reserved-message.ts';
import { accepted, type Outcome, type Refusal, refuse } from '../domain/refusal.ts';
import type { Messages, Post } from '../messages/messages.ts';
import type { CommandAnswer, CommandMessage, CommandRequest, CommandResult } from './command.ts';

/** The alert in whose thread a command is written, or to which it replies. */
export interface FoundAlert {
  readonly id: string;
  readonly card: AlertCard;
}

/** Posts the messages of commands. */
export class CommandPosts {
  readonly #messages: Messages;

  constructor(messages: Messages) {
    this.#messages = messages;
  }

  /** Why the message could not be posted now. */
  async refusalOf(request: CommandRequest, message: CommandMessage): Promise<Refusal | undefined> {
    const checked = await this.#messages.check(request.caller, postOf(request, message));
    return checked.ok ? undefined : checked;
  }

  async post(request: CommandRequest, message: CommandMessage): Promise<CommandResult> {
    const posted = await this.#messages.post(request.caller, postOf(request, message));
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

function postOf({ post, access, id }: CommandRequest, { body, card }: CommandMessage): Post {
  const { threadId = null, replyTo = null, alsoInRoom = false } = post;
  const place = { room: access.room.id, threadId, replyTo, alsoInRoom };
  return { ...place, id, type: 'command', byServer: true, body, card: commandJson(card) };
}

import { findRoom, requireWriter } from '../domain/access.ts';
import type { Caller } from '../domain/caller.ts';
import { isCommandLine } from '../domain/command/line.ts';
import { checkChosenId } from '../domain/message/reserved-message.ts';
import { KeyedQueue } from '../hooks/keyed-queue.ts';
import type { Post } from '../messages/messages.ts';
import { type CommandParts, type CommandResult, cardOf } from './command.ts';
import { COMMANDS, readCommand } from './list.ts';

export interface SlashCommandsParts extends Omit<CommandParts, 'commands'> {
  readonly newId: () => string;
}

/** Runs the slash commands of messages, with the rights of their authors. */
export class SlashCommands {
  readonly #parts: SlashCommandsParts;
  /** Commands of one user in one room run one after the other, so that the same line with the same id runs once. */
  readonly #queue = new KeyedQueue();

  constructor(parts: SlashCommandsParts) {
    this.#parts = parts;
  }

  /** `undefined`: the post is no command. */
  handle(caller: Caller, post: Post): Promise<CommandResult> | undefined {
    if ((post.type ?? 'text') !== 'text' || caller.user.kind === 'copilot' || !isCommandLine(post.body))
      return undefined;
    const found = findRoom(this.#parts.state, caller, post.room);
    if (!found.ok) return Promise.resolve(found);
    const { id } = found.value.room;
    return this.#queue.run(`${id}/${caller.user.id}`, () => this.#handle(caller, { ...post, room: id }));
  }

  close(): void {
    this.#parts.lists.close();
  }

  /** Everything that could refuse the command is checked before it runs. */
  async #handle(caller: Caller, post: Post): Promise<CommandResult> {
    const { newId, ...parts } = this.#parts;
    const { state, clock, posts } = parts;
    const found = findRoom(state, caller, post.room);
    if (!found.ok) return found;
    const access = found.value;
    const refusal = requireWriter(access, caller, clock.now());
    if (refusal) return refusal;
    const earlier = await posts.findEarlier({ caller, access }, post.id);
    if (earlier) return earlier;
    const reserved = checkChosenId(post.id);
    if (reserved) return reserved;
    const read = readCommand(post.body, clock.now());
    if (!read.ok) return read;
    const { command, args } = read.value;
    const request = { caller, post, access, id: post.id ?? newId() };
    const unpostable = await posts.refusalOf(request, { body: post.body, card: cardOf(request, command.name) });
    return unpostable ?? command.run(request, args, { ...parts, commands: COMMANDS });
  }
}

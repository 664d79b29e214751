import type { Clock } from '../../kernel/clock.ts';
import type { RunRequests } from '../copilot/run/requests.ts';
import { findRoom, requireWriter } from '../domain/access.ts';
import type { Caller } from '../domain/caller.ts';
import type { CommandCard } from '../domain/card/command-card.ts';
import { COMMANDS, type Command, isCommandLine, readCommand } from '../domain/command/command.ts';
import { checkChosenId } from '../domain/message/reserved-message.ts';
import { accepted, type Outcome, type Refusal, refuse } from '../domain/refusal.ts';
import { requireAsker } from '../domain/run/access.ts';
import type { AlertCards } from '../hooks/alert-cards.ts';
import { KeyedQueue } from '../hooks/keyed-queue.ts';
import type { Post } from '../messages/messages.ts';
import type { RoomState } from '../room/state.ts';
import type { RoomStore } from '../store/room-store.ts';
import type { AlertCommands } from './alert-commands.ts';
import { type Asked, type CommandAnswer, type CommandPosts, notice } from './command-posts.ts';
import type { LiveAlertLists } from './live-alert-lists.ts';

export interface SlashCommandsParts {
  readonly state: RoomState;
  readonly store: RoomStore;
  readonly posts: CommandPosts;
  readonly cards: AlertCards;
  readonly alerts: AlertCommands;
  readonly lists: LiveAlertLists;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly runs: Pick<RunRequests, 'ask'>;
}

const ALL_READ = 'you have read everything here; /catchup 2h sums up the last two hours';
const SUM_UP =
  'I was away. Sum up for me what was said, the most important first: what was decided, what is still open, and what asks for me.';
/** The last ones of a room are looked through for the beginning of a time. */
const MAX_SUMMED_UP = 200;

/** Does what people ask for by a line that begins with a slash, as themselves and for all to see. */
export class SlashCommands {
  readonly #parts: SlashCommandsParts;
  /** What one person asks for in one room is done one after the other, so that the same line with the same id is done once. */
  readonly #queue = new KeyedQueue();

  constructor(parts: SlashCommandsParts) {
    this.#parts = parts;
  }

  /** `undefined`: it is a message like any other. */
  handle(caller: Caller, post: Post): Promise<Outcome<CommandAnswer>> | undefined {
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

  /** Nothing is done before all is known that could refuse it. */
  async #handle(caller: Caller, post: Post): Promise<Outcome<CommandAnswer>> {
    const { state, clock, posts, newId } = this.#parts;
    const found = findRoom(state, caller, post.room);
    if (!found.ok) return found;
    const access = found.value;
    const refusal = requireWriter(access, caller, clock.now());
    if (refusal) return refusal;
    const done = await posts.doneBefore({ caller, access }, post.id);
    if (done) return done;
    const taken = checkChosenId(post.id);
    if (taken) return taken;
    const command = readCommand(post.body, clock.now());
    if (!command.ok) return command;
    const asked = { caller, post, access, id: post.id ?? newId() };
    const card = cardOf(asked, command.value.name);
    return (await posts.refusalOf(asked, { body: post.body, card })) ?? this.#run(asked, command.value);
  }

  #run(asked: Asked, command: Command): Promise<Outcome<CommandAnswer>> | Outcome<CommandAnswer> {
    switch (command.name) {
      case 'help':
        return notice(Object.values(COMMANDS).join('\n'));
      case 'ack':
      case 'unack':
        return this.#acknowledge(asked, command.name === 'ack' ? command.note : null);
      case 'ask':
        return this.#ask(asked, command.question);
      case 'catchup':
        return this.#catchUp(asked, command.sinceAt);
      default:
        return this.#parts.alerts.run(asked, command);
    }
  }

  /** The copilot is asked by the message itself, when that is committed. */
  #ask(asked: Asked, question: string): Promise<Outcome<CommandAnswer>> | Refusal {
    const { state, clock, posts } = this.#parts;
    const refusal = requireAsker(state, asked.caller, asked.access, false, clock.now());
    return refusal ?? posts.post(asked, { body: question, card: cardOf(asked, 'ask') });
  }

  /** What comes of it is told to the asker alone. */
  async #catchUp({ caller, access }: Asked, sinceAt: number | null): Promise<Outcome<CommandAnswer>> {
    const { state, store, runs } = this.#parts;
    const { room, member, afterSeq } = access;
    const { lastSeq } = state.head(room.id);
    let sinceSeq = member?.lastReadSeq ?? afterSeq;
    if (sinceAt !== null) {
      const { messages } = await store.page({ roomId: room.id, limit: MAX_SUMMED_UP, afterSeq });
      sinceSeq = (messages.find(({ message }) => message.createdAt >= sinceAt)?.message.seq ?? lastSeq + 1) - 1;
    }
    if (sinceSeq >= lastSeq) return notice(sinceAt === null ? ALL_READ : 'nothing was said in that time');
    const run = await runs.ask(caller, room.id, { prompt: SUM_UP, private: true, sinceSeq });
    return run.ok ? notice('it is being summed up; only you will see it') : run;
  }

  /** `null` takes it back. */
  async #acknowledge(asked: Asked, note: string | null): Promise<Outcome<CommandAnswer>> {
    const { posts, cards, clock } = this.#parts;
    const root = await posts.alertOf(asked);
    if (!root) return refuse('invalid_body', `write it in the thread of an alert. ${COMMANDS.ack}`);
    const { id: by } = asked.caller.user;
    const at = new Date(clock.now()).toISOString();
    const acked = note === null ? null : { by, at, note: note.slice(0, 500) };
    const body = note === null ? 'does not have it any more' : `has it${note === '' ? '' : `: ${note}`}`;
    const words = { body, card: cardOf(asked, note === null ? 'unack' : 'ack') };
    return posts.act(asked, words, async () => {
      const changed = await cards.change(asked.access.room.id, root.id, (card) => ({ ...card, acked }));
      return changed.ok ? accepted(words) : changed;
    });
  }
}

const cardOf = ({ caller }: Asked, command: Command['name']): CommandCard => ({
  kind: 'command',
  command,
  by: caller.user.id,
});

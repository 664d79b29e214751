import type { Clock } from '../kernel/clock.ts';
import type { AlertsClient, ListedAlert } from './alerts-client.ts';
import type { RunDesk } from './copilot/run-desk.ts';
import { findRoom, type RoomAccess, requireWriter } from './domain/access.ts';
import type { AlertCard } from './domain/alert-card.ts';
import { readCard } from './domain/alert-card-shape.ts';
import type { Caller } from './domain/caller.ts';
import { COMMANDS, type Command, isCommandLine, readCommand } from './domain/command.ts';
import {
  type CommandAlerts,
  type CommandCard,
  commandJson,
  countAlerts,
  printAlerts,
  printEnd,
} from './domain/command-card.ts';
import { type LabelMatcher, printMatcher } from './domain/command-matcher.ts';
import { granted, type Refusal, refuse, type Verdict } from './domain/refusal.ts';
import { checkChosenId } from './domain/reserved.ts';
import type { Room } from './domain/room.ts';
import { requireAsker } from './domain/run-access.ts';
import type { AlertCards } from './hooks/alert-cards.ts';
import type { Messages, Post, Posted } from './messages/messages.ts';
import type { RoomState } from './room-state.ts';
import type { RoomStore } from './store/room-store.ts';

const MOST_LISTED = 10;
/** A list of alerts keeps itself up to date for so long, and looks so often. */
const LIVE_MS = 5 * 60_000;
const LOOK_EVERY_MS = 15_000;

export interface SlashCommandsParts {
  readonly state: RoomState;
  readonly store: RoomStore;
  readonly messages: Messages;
  readonly cards: AlertCards;
  /** `undefined`: the server was started without `--alerts`. */
  readonly alerts: AlertsClient | undefined;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly desk: Pick<RunDesk, 'ask'>;
  /** Where a message is shown. */
  readonly permalink: (room: Room, messageId: string) => string;
}

/** What a command came to: a message that all see, or words for the asker alone. */
export type CommandAnswer =
  | { readonly kind: 'posted'; readonly posted: Posted }
  | { readonly kind: 'notice'; readonly text: string; readonly card: CommandCard | null };

const notice = (text: string): Verdict<CommandAnswer> => granted({ kind: 'notice', text, card: null });

const ALL_READ = 'you have read everything here; /catchup 2h sums up the last two hours';
const SUM_UP =
  'I was away. Sum up for me what was said, the most important first: what was decided, what is still open, and what asks for me.';
/** The last ones of a room are looked through for the beginning of a time. */
const MOST_SUMMED_UP = 200;

interface Asked {
  readonly caller: Caller;
  readonly post: Post;
  readonly room: Room;
  readonly access: RoomAccess;
  /** The message's, chosen before anything is done, so that what is done can refer to it. */
  readonly id: string;
}

/** Does what people ask for by a line that begins with a slash, as themselves and for all to see. */
export class SlashCommands {
  readonly #parts: SlashCommandsParts;
  readonly #live = new Set<() => void>();

  constructor(parts: SlashCommandsParts) {
    this.#parts = parts;
  }

  /** `undefined`: it is a message like any other. */
  handle(caller: Caller, post: Post): Promise<Verdict<CommandAnswer>> | undefined {
    if ((post.type ?? 'text') !== 'text' || caller.user.kind === 'copilot' || !isCommandLine(post.body))
      return undefined;
    return this.#handle(caller, post);
  }

  close(): void {
    for (const cancel of this.#live) cancel();
    this.#live.clear();
  }

  async #handle(caller: Caller, post: Post): Promise<Verdict<CommandAnswer>> {
    const { state, clock } = this.#parts;
    const found = findRoom(state, caller, post.room);
    if (!found.ok) return found;
    const refusal = requireWriter(found.value, caller, clock.now());
    if (refusal) return refusal;
    const done = await this.#doneBefore(caller, post);
    if (done) return done;
    const taken = checkChosenId(post.id);
    if (taken) return taken;
    const command = readCommand(post.body, clock.now());
    if (!command.ok) return command;
    const { room } = found.value;
    const id = post.id ?? this.#parts.newId();
    return this.#run({ caller, post, room, access: found.value, id }, command.value);
  }

  /** The same line with the same id was done already: it is not done twice. */
  async #doneBefore(caller: Caller, { id }: Post): Promise<Verdict<CommandAnswer> | undefined> {
    if (id === undefined) return undefined;
    const [stored] = await this.#parts.store.messages([id]);
    if (!stored) return undefined;
    if (stored.message.author.id !== caller.user.id || stored.message.type !== 'command')
      return refuse('id_conflict', `the id ${id} is taken; take another`, { path: 'id' });
    return granted({ kind: 'posted', posted: { stored, replayed: true } });
  }

  #run(asked: Asked, command: Command): Promise<Verdict<CommandAnswer>> | Verdict<CommandAnswer> {
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
      case 'alerts':
        return this.#withAlerts((alerts) => this.#list(asked, alerts, command.filter));
      case 'unsilence':
        return this.#withAlerts((alerts) => this.#unsilence(asked, alerts, command.id));
      case 'silence':
        return this.#withAlerts((alerts) => this.#silence(asked, alerts, command));
    }
  }

  /** The copilot is asked by the message itself, when that is committed. */
  #ask(asked: Asked, question: string): Promise<Verdict<CommandAnswer>> | Refusal {
    const { state, clock } = this.#parts;
    const { caller, access } = asked;
    const refusal = requireAsker(state, caller, access, false, clock.now());
    return refusal ?? this.#post(asked, question, { kind: 'command', command: 'ask', by: caller.user.id });
  }

  /** What comes of it is told to the asker alone. */
  async #catchUp({ caller, access }: Asked, sinceAt: number | null): Promise<Verdict<CommandAnswer>> {
    const { state, store, desk } = this.#parts;
    const { room, member, afterSeq } = access;
    const { lastSeq } = state.head(room.id);
    let sinceSeq = member?.lastReadSeq ?? afterSeq;
    if (sinceAt !== null) {
      const { messages } = await store.page({ roomId: room.id, limit: MOST_SUMMED_UP, afterSeq });
      sinceSeq = (messages.find(({ message }) => message.createdAt >= sinceAt)?.message.seq ?? lastSeq + 1) - 1;
    }
    if (sinceSeq >= lastSeq) return notice(sinceAt === null ? ALL_READ : 'nothing was said in that time');
    const run = await desk.ask(caller, room.id, { prompt: SUM_UP, private: true, sinceSeq });
    return run.ok ? notice('it is being summed up; only you will see it') : run;
  }

  #withAlerts<T>(use: (alerts: AlertsClient) => Promise<Verdict<T>>): Promise<Verdict<T>> | Refusal {
    const { alerts } = this.#parts;
    return alerts
      ? use(alerts)
      : refuse('invalid_body', 'this server knows no alert server; start it with --alerts URL');
  }

  async #silence(
    asked: Asked,
    alerts: AlertsClient,
    command: Extract<Command, { name: 'silence' }>,
  ): Promise<Verdict<CommandAnswer>> {
    const matchers = command.matchers.length > 0 ? command.matchers : await this.#matchersOfThread(asked.post);
    if (matchers.length === 0) return refuse('invalid_body', `there are no matchers. ${COMMANDS.silence}`);
    const matching = await alerts.alerts(matchers, { onlyActive: true });
    if (!matching.ok) return matching;
    const { endsAt } = command;
    const startsAt = this.#parts.clock.now();
    const { user } = asked.caller;
    const words = matchers.map(printMatcher).join(', ');
    const found = summarise(matching.value);
    const comment = `${command.comment || `silenced from ${asked.room.slug}`} ${this.#parts.permalink(asked.room, asked.id)}`;
    const times = { startsAt: new Date(startsAt).toISOString(), endsAt: new Date(endsAt).toISOString() };
    const silence = { id: '', matchers: matchers.map(printMatcher), comment: command.comment, ...times };
    const card: CommandCard = { kind: 'command', command: 'silence', by: user.id, silence, alerts: found };
    if (command.isPreview) {
      const text = `would silence ${words} until ${printEnd(endsAt)}; matches ${countAlerts(found.count)}\n${printAlerts(found)}`;
      return granted({ kind: 'notice', text: text.trim(), card });
    }
    const made = await this.#silenceOnce(asked, alerts, { matchers, startsAt, endsAt, createdBy: user.id, comment });
    if (!made.ok) return made;
    await this.#noteSilence(asked, { id: made.value, endsAt: times.endsAt, by: user.id });
    const reason = command.comment === '' ? '' : `: ${command.comment}`;
    const body = `silenced ${words} until ${printEnd(endsAt)}${reason}\nmatches ${countAlerts(found.count)}; \`/unsilence ${made.value}\` ends it`;
    return this.#post(asked, body, { ...card, silence: { ...silence, id: made.value } });
  }

  /** A command that was cut off between its silence and its message finds its silence by the message's address. */
  async #silenceOnce(
    { post }: Asked,
    alerts: AlertsClient,
    request: Parameters<AlertsClient['silence']>[0],
  ): Promise<Verdict<string>> {
    const before = post.id === undefined ? granted(undefined) : await alerts.findSilence(request.comment);
    if (!before.ok) return before;
    return before.value === undefined ? alerts.silence(request) : granted(before.value);
  }

  async #matchersOfThread(post: Post): Promise<readonly LabelMatcher[]> {
    const root = await this.#alertOf(post);
    if (!root) return [];
    const labels = Object.keys(root.card.groupLabels).length > 0 ? root.card.groupLabels : root.card.labels;
    return Object.entries(labels).map(([name, value]) => ({ name, value, isRegex: false, isEqual: true }));
  }

  /** The alert in whose thread, or as an answer to which, something is written. */
  async #alertOf({ threadId, replyTo }: Post): Promise<{ readonly id: string; readonly card: AlertCard } | undefined> {
    const id = threadId ?? replyTo;
    if (!id) return undefined;
    const [stored] = await this.#parts.store.messages([id]);
    const card = stored && readCard(stored.message.card);
    return card && { id, card };
  }

  async #noteSilence({ post, room }: Asked, silence: NonNullable<AlertCard['silence']>): Promise<void> {
    const root = await this.#alertOf(post);
    if (root) await this.#parts.cards.change(room.id, root.id, (card) => ({ ...card, silence }));
  }

  async #unsilence(asked: Asked, alerts: AlertsClient, id: string): Promise<Verdict<CommandAnswer>> {
    const ended = await alerts.unsilence(id);
    if (!ended.ok) return ended;
    const root = await this.#alertOf(asked.post);
    if (root?.card.silence?.id === id)
      await this.#parts.cards.change(asked.room.id, root.id, (card) => ({ ...card, silence: null }));
    return this.#post(asked, `ended the silence ${id}`, {
      kind: 'command',
      command: 'unsilence',
      by: asked.caller.user.id,
    });
  }

  /** `null` takes it back. */
  async #acknowledge(asked: Asked, note: string | null): Promise<Verdict<CommandAnswer>> {
    const root = await this.#alertOf(asked.post);
    if (!root) return refuse('invalid_body', `write it in the thread of an alert. ${COMMANDS.ack}`);
    const { id: by } = asked.caller.user;
    const at = new Date(this.#parts.clock.now()).toISOString();
    const acked = note === null ? null : { by, at, note: note.slice(0, 500) };
    const changed = await this.#parts.cards.change(asked.room.id, root.id, (card) => ({ ...card, acked }));
    if (!changed.ok) return changed;
    const body = note === null ? 'does not have it any more' : `has it${note === '' ? '' : `: ${note}`}`;
    return this.#post(asked, body, { kind: 'command', command: note === null ? 'unack' : 'ack', by });
  }

  async #list(asked: Asked, alerts: AlertsClient, filter: readonly LabelMatcher[]): Promise<Verdict<CommandAnswer>> {
    const found = await alerts.alerts(filter, { onlyActive: true });
    if (!found.ok) return found;
    const untilAt = this.#parts.clock.now() + LIVE_MS;
    const liveUntil = new Date(untilAt).toISOString();
    const cardWith = (list: CommandAlerts): CommandCard => ({
      kind: 'command',
      command: 'alerts',
      by: asked.caller.user.id,
      alerts: list,
      liveUntil,
    });
    const list = summarise(found.value);
    const posted = await this.#post(asked, printList(list), cardWith(list));
    if (posted.ok) this.#keepFresh(asked, alerts, filter, cardWith, list, untilAt);
    return posted;
  }

  #keepFresh(
    { id, room, caller }: Asked,
    alerts: AlertsClient,
    filter: readonly LabelMatcher[],
    cardWith: (list: CommandAlerts) => CommandCard,
    posted: CommandAlerts,
    untilAt: number,
  ): void {
    const { clock, messages } = this.#parts;
    let shown = JSON.stringify(posted);
    const look = async () => {
      const found = await alerts.alerts(filter, { onlyActive: true });
      const list = found.ok ? summarise(found.value) : undefined;
      if (!list || JSON.stringify(list) === shown) return;
      shown = JSON.stringify(list);
      const rewritten = await messages.rewrite(
        { id, roomId: room.id, type: 'command', authorId: caller.user.id },
        { body: printList(list), card: commandJson(cardWith(list)) },
      );
      if (!rewritten.ok) stop();
    };
    const cancelTimer = clock.every(LOOK_EVERY_MS, () => {
      if (clock.now() >= untilAt) stop();
      else void look();
    });
    const stop = () => {
      cancelTimer();
      this.#live.delete(stop);
    };
    this.#live.add(stop);
  }

  async #post({ caller, post, room, id }: Asked, body: string, card: CommandCard): Promise<Verdict<CommandAnswer>> {
    const { threadId = null, replyTo = null, alsoInRoom = false } = post;
    const posted = await this.#parts.messages.post(caller, {
      room: room.id,
      id,
      type: 'command',
      byServer: true,
      body,
      threadId,
      replyTo,
      alsoInRoom,
      card: commandJson(card),
    });
    return posted.ok ? granted({ kind: 'posted', posted: posted.value }) : posted;
  }
}

const printList = (list: CommandAlerts): string => `${countAlerts(list.count)}\n${printAlerts(list)}`.trim();

function summarise(alerts: readonly ListedAlert[]): CommandAlerts {
  const listed = alerts.slice(0, MOST_LISTED).map(({ fingerprint, labels, annotations, startsAt, state }) => ({
    fingerprint,
    labels,
    summary: (annotations.summary ?? '').slice(0, 200),
    startedAt: startsAt,
    state,
  }));
  return { count: alerts.length, listed };
}

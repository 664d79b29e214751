import type { Clock } from '../../kernel/clock.ts';
import type { AlertsClient } from '../alerts-client.ts';
import { requireForce } from '../domain/card/alert-access.ts';
import type { AlertCard } from '../domain/card/alert-card.ts';
import {
  type CommandAlerts,
  type CommandCard,
  countAlerts,
  printAlerts,
  printEnd,
  summariseAlerts,
} from '../domain/card/command-card.ts';
import { COMMANDS, type Command } from '../domain/command/command.ts';
import { type LabelMatcher, printMatcher } from '../domain/command/matcher.ts';
import { accepted, type Outcome, refuse } from '../domain/refusal.ts';
import type { Room } from '../domain/room/room.ts';
import type { AlertCards } from '../hooks/alert-cards.ts';
import type { AlertUsers } from './alert-users.ts';
import { type Asked, type CommandAnswer, type CommandPosts, type CommandWords, notice } from './command-posts.ts';
import type { LiveAlertLists } from './live-alert-lists.ts';

/** A list of alerts keeps itself up to date for so long. */
const LIVE_MS = 5 * 60_000;
/** As long as the id of a silence may be. */
const MAX_ID = '0'.repeat(64);
const NONE: CommandAlerts = { count: 0, listed: [] };

export type AlertCommand = Extract<Command, { readonly name: 'alerts' | 'silence' | 'unsilence' }>;

export interface AlertCommandsParts {
  /** `undefined`: the server was started without `--alerts`. */
  readonly alerts: AlertsClient | undefined;
  readonly users: AlertUsers;
  readonly posts: CommandPosts;
  readonly cards: AlertCards;
  readonly lists: LiveAlertLists;
  readonly clock: Clock;
  /** Where a message is shown. */
  readonly permalink: (room: Room, messageId: string) => string;
}

/** The commands that reach the alert server. */
export class AlertCommands {
  readonly #parts: AlertCommandsParts;

  constructor(parts: AlertCommandsParts) {
    this.#parts = parts;
  }

  async run(asked: Asked, command: AlertCommand): Promise<Outcome<CommandAnswer>> {
    const { alerts, users } = this.#parts;
    if (!alerts) return refuse('invalid_body', 'this server knows no alert server; start it with --alerts URL');
    const refusal =
      users.refusalOf(asked.caller, asked.access.room.id) ??
      (command.name === 'silence' && command.force ? requireForce(asked.caller) : undefined);
    if (refusal) return refusal;
    switch (command.name) {
      case 'alerts':
        return this.#list(asked, alerts, command.filter);
      case 'unsilence':
        return this.#unsilence(asked, alerts, command.id);
      case 'silence':
        return this.#silence(asked, alerts, command);
    }
  }

  async #silence(
    asked: Asked,
    alerts: AlertsClient,
    command: Extract<Command, { name: 'silence' }>,
  ): Promise<Outcome<CommandAnswer>> {
    const root = await this.#parts.posts.alertOf(asked);
    const matchers = command.matchers.length > 0 ? command.matchers : root ? matchersOf(root.card) : [];
    if (matchers.length === 0) return refuse('invalid_body', `there are no matchers. ${COMMANDS.silence}`);
    const startsAt = this.#parts.clock.now();
    const wordsFor = (id: string, found: CommandAlerts) =>
      silenceWords(asked, command, { id, matchers, startsAt, found });
    const early = await this.#parts.posts.refusalOf(asked, wordsFor(MAX_ID, NONE));
    if (early) return early;
    const matching = await alerts.alerts(matchers, { onlyActive: true });
    if (!matching.ok) return matching;
    const found = summariseAlerts(matching.value);
    const { endsAt } = command;
    if (command.isPreview) {
      const words = matchers.map(printMatcher).join(', ');
      const text = `would silence ${words} until ${printEnd(endsAt)}; matches ${countAlerts(found.count)}\n${printAlerts(found)}`;
      return notice(text.trim(), wordsFor('', found).card);
    }
    return this.#parts.posts.act(asked, wordsFor(MAX_ID, found), async () => {
      // To ask what it matches may have taken seconds.
      const refusal = this.#parts.users.refusalOf(asked.caller, asked.access.room.id);
      if (refusal) return refusal;
      const { id: by } = asked.caller.user;
      const link = this.#parts.permalink(asked.access.room, asked.id);
      const comment = `${command.comment || `silenced from ${asked.access.room.slug}`} ${link}`;
      const made = await this.#silenceOnce(asked, alerts, { matchers, startsAt, endsAt, createdBy: by, comment });
      if (!made.ok) return made;
      const silence = { id: made.value, endsAt: new Date(endsAt).toISOString(), by };
      if (root) await this.#parts.cards.change(asked.access.room.id, root.id, (card) => ({ ...card, silence }));
      return accepted(wordsFor(made.value, found));
    });
  }

  /** A command that was cut off between its silence and its message finds its silence by the message's address. */
  async #silenceOnce(
    { post }: Asked,
    alerts: AlertsClient,
    request: Parameters<AlertsClient['silence']>[0],
  ): Promise<Outcome<string>> {
    const before = post.id === undefined ? accepted(undefined) : await alerts.findSilence(request.comment);
    if (!before.ok) return before;
    return before.value === undefined ? alerts.silence(request) : accepted(before.value);
  }

  async #unsilence(asked: Asked, alerts: AlertsClient, id: string): Promise<Outcome<CommandAnswer>> {
    const root = await this.#parts.posts.alertOf(asked);
    const card: CommandCard = { kind: 'command', command: 'unsilence', by: asked.caller.user.id };
    const words = { body: `ended the silence ${id}`, card };
    return this.#parts.posts.act(asked, words, async () => {
      const ended = await alerts.unsilence(id);
      if (!ended.ok) return ended;
      if (root?.card.silence?.id === id)
        await this.#parts.cards.change(asked.access.room.id, root.id, (current) => ({ ...current, silence: null }));
      return accepted(words);
    });
  }

  async #list(asked: Asked, alerts: AlertsClient, filter: readonly LabelMatcher[]): Promise<Outcome<CommandAnswer>> {
    const untilAt = this.#parts.clock.now() + LIVE_MS;
    const liveUntil = new Date(untilAt).toISOString();
    const { id: by } = asked.caller.user;
    const wordsFor = (list: CommandAlerts): CommandWords => ({
      body: `${countAlerts(list.count)}\n${printAlerts(list)}`.trim(),
      card: { kind: 'command', command: 'alerts', by, alerts: list, liveUntil },
    });
    const found = await alerts.alerts(filter, { onlyActive: true });
    if (!found.ok) return found;
    const list = summariseAlerts(found.value);
    const posted = await this.#parts.posts.post(asked, wordsFor(list));
    if (posted.ok) this.#parts.lists.keep({ asked, alerts, filter, wordsFor, posted: list, untilAt });
    return posted;
  }
}

function matchersOf({ groupLabels, labels }: AlertCard): readonly LabelMatcher[] {
  const chosen = Object.keys(groupLabels).length > 0 ? groupLabels : labels;
  return Object.entries(chosen).map(([name, value]) => ({ name, value, isRegex: false, isEqual: true }));
}

interface MadeSilence {
  readonly id: string;
  readonly matchers: readonly LabelMatcher[];
  readonly startsAt: number;
  readonly found: CommandAlerts;
}

function silenceWords(
  { caller }: Asked,
  { endsAt, comment }: Extract<Command, { name: 'silence' }>,
  { id, matchers, startsAt, found }: MadeSilence,
): CommandWords {
  const printed = matchers.map(printMatcher);
  const reason = comment === '' ? '' : `: ${comment}`;
  const body = `silenced ${printed.join(', ')} until ${printEnd(endsAt)}${reason}\nmatches ${countAlerts(found.count)}; \`/unsilence ${id}\` ends it`;
  const times = { startsAt: new Date(startsAt).toISOString(), endsAt: new Date(endsAt).toISOString() };
  const silence = { id, matchers: printed, comment, ...times };
  return { body, card: { kind: 'command', command: 'silence', by: caller.user.id, silence, alerts: found } };
}

import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import type { AlertsClient } from '../alerts-client.ts';
import { type AlertCard, readCard } from '../domain/card/alert-card.ts';
import type { LiveCard } from '../domain/card/live-card.ts';
import {
  type ActiveSilence,
  type CompiledSilence,
  compileSilence,
  followAlertServer,
  matchersOf,
} from '../domain/card/silence.ts';
import type { Committed } from '../domain/event.ts';
import type { RoomState } from '../room/state.ts';
import type { RoomStore } from '../store/store.ts';
import type { AlertCards } from './alert-cards.ts';

const LOOK_EVERY_MS = 15_000;
/** While cards fire, and none is silenced. */
const IDLE_LOOK_EVERY_MS = 120_000;
/** After a command about a silence; another node of the alert server may show it late. */
const SOON_MS = 1_000;
/** Cards read at a time, with other work in between. */
const PART = 50;
const COMMANDS: ReadonlySet<unknown> = new Set(['silence', 'unsilence', 'extend']);

export interface CardSilencesParts {
  /** `undefined`: cards only lose silences whose time is over. */
  readonly alerts: Pick<AlertsClient, 'alerts' | 'liveSilences'> | undefined;
  readonly state: RoomState;
  readonly store: Pick<RoomStore, 'messages'>;
  readonly cards: Pick<AlertCards, 'change'>;
  readonly clock: Clock;
}

/**
 * Keeps alert cards as the alert server has them, where no notice comes: when a silence begins, moves or ends, and while
 * it lasts. A look changes only what is different, so that several nodes may look.
 */
export class CardSilences {
  readonly #parts: CardSilencesParts;
  readonly #cancel: CancelTimer;
  #soon: CancelTimer | undefined;
  #lookedAt: number;
  #running: Promise<void> = Promise.resolve();
  #known: readonly ActiveSilence[] | undefined;
  /** The silences with which the cards of `#seen` were compared. */
  #seenWith = '';
  #seen = new WeakSet<LiveCard>();

  constructor(parts: CardSilencesParts) {
    this.#parts = parts;
    this.#lookedAt = parts.clock.now();
    this.#cancel = parts.clock.every(LOOK_EVERY_MS, () => {
      if (this.#isDue()) void this.runOnce();
    });
  }

  /** Looks at the cards soon after a command has changed a silence. */
  notice(committed: readonly Committed[]): void {
    if (!committed.some(isSilenceCommand)) return;
    this.#soon ??= this.#parts.clock.after(SOON_MS, () => {
      this.#soon = undefined;
      void this.runOnce();
    });
  }

  /** Looks at all cards that a silence may concern, after a look in progress. Never rejects. */
  runOnce(): Promise<void> {
    // A storage that has failed is reported by its writer.
    this.#running = this.#running.then(() => this.#look()).catch(() => {});
    return this.#running;
  }

  async close(): Promise<void> {
    this.#cancel();
    this.#soon?.();
    await this.#running;
  }

  #isDue(): boolean {
    const { state, clock } = this.#parts;
    const isIdle = ![...state.each('card')].some(({ isWatched }) => isWatched);
    return !isIdle || clock.now() - this.#lookedAt >= IDLE_LOOK_EVERY_MS;
  }

  async #look(): Promise<void> {
    const { state, store, clock } = this.#parts;
    if (state.all('card').size === 0) return;
    this.#lookedAt = clock.now();
    const silences = await this.#silences();
    const ids = [...state.all('card')].filter(([, card]) => card.isWatched || !this.#seen.has(card)).map(([id]) => id);
    for (let at = 0; at < ids.length; at += PART) {
      for (const { message } of await store.messages(ids.slice(at, at + PART))) {
        const live = state.get('card', message.id);
        const card = readCard(message.card);
        const isDone = card === undefined || (await this.#follow(message.roomId, message.id, card, silences));
        if (live && isDone) this.#seen.add(live);
      }
    }
  }

  /** The silences of the last answer that have not ended since; cards are compared anew when they have changed. */
  async #silences(): Promise<readonly CompiledSilence[] | undefined> {
    const { alerts, clock } = this.#parts;
    const found = await alerts?.liveSilences();
    if (found?.ok) this.#known = found.value;
    const now = clock.now();
    this.#known = this.#known?.filter(({ endsAt }) => endsAt > now);
    const text = JSON.stringify(this.#known?.map(({ id, matchers, endsAt }) => [id, matchers, endsAt]) ?? null);
    if (text !== this.#seenWith) this.#seen = new WeakSet();
    this.#seenWith = text;
    return this.#known?.map(compileSilence);
  }

  /** Returns whether the card is now as on the alert server. */
  async #follow(
    roomId: string,
    id: string,
    card: AlertCard,
    silences: readonly CompiledSilence[] | undefined,
  ): Promise<boolean> {
    const { cards, clock } = this.#parts;
    const now = clock.now();
    const isConcerned = card.isListed === true || followAlertServer(card, { silences, listed: undefined }, now).silence;
    const listed = isConcerned ? await this.#listed(card) : undefined;
    const state = { silences, listed };
    const changed = await cards.change(roomId, id, (current) => followAlertServer(current, state, clock.now()));
    return changed.ok;
  }

  async #listed(card: AlertCard): Promise<ReadonlySet<string> | undefined> {
    const matchers = matchersOf(card);
    if (matchers.length === 0) return undefined;
    const found = await this.#parts.alerts?.alerts(matchers, { onlyActive: false });
    return found?.ok ? new Set(found.value.map(({ fingerprint }) => fingerprint)) : undefined;
  }
}

function isSilenceCommand({ event }: Committed): boolean {
  if (event.type !== 'message.created') return false;
  const { type, card } = event.message;
  return type === 'command' && COMMANDS.has(card?.command);
}

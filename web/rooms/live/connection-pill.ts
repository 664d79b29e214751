import type { WireStorage } from '../../../src/rooms/contract/feed.ts';
import type { Clock } from '../../shared/clock.ts';
import { h, setText } from '../../shared/dom.ts';
import { t } from '../text/text.ts';
import type { ConnectionState } from './event-stream.ts';

/** Shows the state of the connection and the number of unsent messages. */
export class ConnectionPill {
  readonly element: HTMLButtonElement;
  readonly #text = h('span', {});
  readonly #clock: Clock;
  readonly #queued: () => number;
  #state: ConnectionState = { kind: 'connecting' };
  /** When it was last live, or began: a short interruption is not shown. */
  #troubleSince: number | undefined;
  #isDatabaseAway = false;

  constructor(clock: Clock, queued: () => number, retry: () => void) {
    this.#clock = clock;
    this.#queued = queued;
    this.element = h(
      'button',
      { type: 'button', class: 'pill', 'data-connection': 'connecting', onclick: retry },
      h('span', { class: 'dot', 'aria-hidden': 'true' }),
      this.#text,
    );
    clock.every(1000, () => this.draw());
    this.draw();
  }

  show(state: ConnectionState): void {
    this.#state = state;
    if (state.kind === 'live') this.#troubleSince = undefined;
    else {
      this.#troubleSince ??= this.#clock.now();
      // The next connection shows it.
      this.#isDatabaseAway = false;
    }
    this.draw();
  }

  showStorage({ state }: WireStorage): void {
    this.#isDatabaseAway = state === 'away';
    this.draw();
  }

  get isLive(): boolean {
    return this.#state.kind === 'live';
  }

  draw(): void {
    const queued = this.#queued();
    const waiting = queued > 0 ? `, ${t('pill.queued', { n: queued })}` : '';
    setText(this.#text, `${this.#words()}${waiting}`);
    this.element.dataset.connection = this.#isDatabaseAway ? 'away' : this.#state.kind;
    this.element.title = this.#title();
  }

  #title(): string {
    if (this.#isDatabaseAway) return t('pill.database.title');
    return t(this.#state.kind === 'live' ? 'pill.live.title' : 'pill.again.title');
  }

  #words(): string {
    const state = this.#state;
    if (this.#isDatabaseAway) return t('pill.database');
    if (state.kind === 'live') return t('pill.live');
    if (state.kind === 'offline') return t('pill.offline');
    if (state.kind === 'waiting') {
      const seconds = Math.ceil((state.until - this.#clock.now()) / 1000);
      return seconds > 0 ? t('pill.again-in', { seconds }) : t('pill.again');
    }
    return t(this.#troubleSince === undefined ? 'pill.connecting' : 'pill.again');
  }
}

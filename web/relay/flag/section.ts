import type { FlagDetails, FlagList } from '../../../src/relay/contract/page.ts';
import { h } from '../../shared/dom.ts';
import { statePage } from '../../shared/shell/states.ts';
import { ApiError } from '../api.ts';
import type { PageContext, Section, Shown } from '../page.ts';
import type { Route } from '../route.ts';
import { Details } from './details.ts';
import { ListPanel } from './list-panel.ts';

/** The counts of evaluations are loaded again after this time: they change all the time. */
const COUNTS_MS = 10_000;

/** The list of flags, and beside it the chosen one. */
export class FlagsSection implements Section {
  readonly element: HTMLElement;
  readonly #context: PageContext;
  readonly #list: ListPanel;
  readonly #place = h('div', { class: 'details-place' });
  #details: Details | undefined;
  #shown: Shown | undefined;
  #flag: string | undefined;
  /** What the loaded list and details are of. */
  #loadedList = '';
  #loadedFlag = '';
  /** The number of evaluations for which the counts were loaded, and when that was, in epoch milliseconds. */
  #evaluations = 0;
  #countedAt = 0;
  /** Of the shown flag. */
  #last: FlagDetails | undefined;

  constructor(context: PageContext) {
    this.#context = context;
    this.#list = new ListPanel(context);
    this.element = h('div', { class: 'flags' }, this.#list.element, this.#place);
  }

  focusSearch(): void {
    this.#list.focus();
  }

  update(shown: Shown, { flag }: Route): void {
    const isOther = flag !== this.#flag;
    this.#shown = shown;
    this.#flag = flag;
    this.#list.select(flag);
    this.element.classList.toggle('has-flag', flag !== undefined);
    const state = this.#stateOf(shown);
    const { name } = shown.environment;
    if (state !== this.#loadedList) void this.#loadList(name, state);
    if (flag === undefined) this.#showNone();
    else if (isOther || `${state}\0${flag}` !== this.#loadedFlag)
      void this.#loadFlag(name, flag, `${state}\0${flag}`, isOther);
    else this.#showDetails();
  }

  /** Changes with the data at once, and with the counts after a while. */
  #stateOf({ environment: { name, revision, evaluations } }: Shown): string {
    const now = this.#context.ui.clock.now();
    if (evaluations !== this.#evaluations && now - this.#countedAt >= COUNTS_MS) {
      this.#evaluations = evaluations;
      this.#countedAt = now;
    }
    return `${name}\0${revision}\0${this.#evaluations}`;
  }

  async #loadList(environment: string, state: string): Promise<void> {
    this.#loadedList = state;
    await this.#load(
      () => this.#context.api.flags(environment),
      () => this.#loadedList === state,
      (list: FlagList) => this.#list.show(list, this.#shown?.environment.changedAt !== null),
      () => {
        this.#loadedList = '';
      },
    );
  }

  async #loadFlag(environment: string, key: string, state: string, isOther: boolean): Promise<void> {
    this.#loadedFlag = state;
    await this.#load(
      () => this.#context.api.flag(environment, key),
      () => this.#loadedFlag === state && this.#flag === key,
      (details: FlagDetails | undefined) => this.#showFlag(key, details, isOther),
      () => {
        this.#loadedFlag = '';
      },
    );
  }

  /** Loads something that may be outdated when it arrives. Undefined: the relay does not have it. */
  async #load<T>(
    ask: () => Promise<T>,
    isWanted: () => boolean,
    show: (answer: T) => void,
    forget: () => void,
  ): Promise<void> {
    try {
      const answer = await ask();
      if (isWanted()) show(answer);
    } catch (error) {
      if (!isWanted()) return;
      if (error instanceof ApiError && error.status === 404) show(undefined as T);
      else {
        forget();
        this.#context.onFailure(error);
      }
    }
  }

  #showFlag(key: string, details: FlagDetails | undefined, isOther: boolean): void {
    const shown = this.#shown;
    if (!shown) return;
    this.#last = details;
    if (!details) {
      this.#details = undefined;
      const { t } = this.#context.ui;
      const back = h('a', { href: this.#context.hashOf() }, t('back'));
      this.#place.replaceChildren(statePage(t('unknown-flag'), t('unknown-flag.text', { key }), back));
    } else if (this.#details?.key === key && this.#details.environment === details.environment) {
      this.#details.update(details, shown);
    } else {
      this.#details = new Details(this.#context, details, shown);
      this.#place.replaceChildren(this.#details.element);
      this.#place.scrollTop = 0;
    }
    if (isOther) this.#place.querySelector('h1')?.focus({ preventScroll: true });
  }

  #showDetails(): void {
    if (this.#details && this.#last && this.#shown) this.#details.update(this.#last, this.#shown);
  }

  #showNone(): void {
    this.#details = undefined;
    this.#loadedFlag = '';
    this.#place.replaceChildren();
  }
}

import { h, setText, syncChildren } from '../../shared/dom.ts';
import { GroupCard } from './group-card.ts';
import type { GroupView } from './list.ts';
import type { AlertRowParts } from './row.ts';
import { FIRST_ROWS } from './rows.ts';

/** Groups drawn at first, and per press of the button. */
const GROUP_STEP = 50;
/** Groups are open initially up to this number of alerts; the others open by a click. */
const OPEN_BUDGET = 200;

/** The groups as cards. Only changed groups are redrawn; the others keep their state and focus. */
export class GroupList {
  readonly element = h('div', { class: 'groups' });
  readonly #opened: Map<string, boolean>;
  readonly #parts: AlertRowParts;
  readonly #cards = h('div', { class: 'group-cards' });
  readonly #more: HTMLButtonElement;
  #byKey = new Map<string, GroupCard>();
  #views: readonly GroupView[] = [];
  #limit = GROUP_STEP;

  /** `opened` keeps which groups were opened and closed, beyond the life of this list. */
  constructor(opened: Map<string, boolean>, parts: AlertRowParts) {
    this.#opened = opened;
    this.#parts = parts;
    this.#more = h('button', { type: 'button', class: 'more', onclick: () => this.#showMore() });
    this.element.append(this.#cards, this.#more);
  }

  update(views: readonly GroupView[]): void {
    this.#views = views;
    this.#draw();
  }

  /** Opens or closes every group, including undrawn ones. */
  openAll(open: boolean): void {
    for (const { key } of this.#views) this.#opened.set(key, open);
    this.#draw();
  }

  #showMore(): void {
    const last = this.#cards.lastElementChild;
    this.#limit += GROUP_STEP;
    this.#draw();
    last?.nextElementSibling?.querySelector('button')?.focus();
  }

  #draw(): void {
    const before = this.#byKey;
    this.#byKey = new Map();
    let budget = OPEN_BUDGET;
    for (const view of this.#views.slice(0, this.#limit)) {
      budget -= Math.min(view.alerts.length, FIRST_ROWS);
      const open = this.#opened.get(view.key) ?? budget >= 0;
      const known = before.get(view.key);
      known?.update(view, open);
      const remember = (opened: boolean) => this.#opened.set(view.key, opened);
      this.#byKey.set(view.key, known ?? new GroupCard(view, open, this.#parts, remember));
    }
    syncChildren(
      this.#cards,
      [...this.#byKey.values()].map((card) => card.element),
    );
    const rest = this.#views.length - this.#byKey.size;
    this.#more.hidden = rest === 0;
    setText(this.#more, `Show ${Math.min(rest, GROUP_STEP)} more groups of ${rest}`);
  }
}

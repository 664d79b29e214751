import { h, syncChildren } from '../../shared/dom.ts';
import { DetailPane } from './details/pane.ts';
import { GroupCard } from './group-card.ts';
import { growNear } from './grow.ts';
import type { GroupView } from './list.ts';
import { worstGroup } from './list.ts';
import type { ListedAlert } from './model.ts';
import type { AlertRowParts } from './row.ts';
import { Stops } from './stops.ts';

/** Groups that are drawn at first, and in each frame while the end of the list is near. */
const STEP = 8;
/** With more alerts, only the worst group is open at first. */
const MAX_OPEN = 20;

/** The groups as cards. Only changed groups are redrawn; the others keep their state and focus. */
export class GroupList {
  readonly element = h('div', { class: 'groups' });
  readonly #opened: Map<string, boolean>;
  readonly #parts: AlertRowParts;
  readonly #cards = h('div', { class: 'group-cards' });
  readonly #pane = new DetailPane();
  readonly #stops: Stops;
  readonly #growth: ReturnType<typeof growNear>;
  #byKey = new Map<string, GroupCard>();
  #views: readonly GroupView[] = [];
  #limit = STEP;

  /** `opened` keeps which groups were opened and closed, beyond the life of this list. */
  constructor(opened: Map<string, boolean>, parts: AlertRowParts) {
    this.#opened = opened;
    this.#parts = { ...parts, pane: this.#pane };
    this.#stops = new Stops(this.element);
    this.#growth = growNear(() => {
      this.#limit += STEP;
      this.#draw();
    });
    this.element.append(h('div', { class: 'group-list' }, this.#cards, this.#growth.element), this.#pane.element);
  }

  update(views: readonly GroupView[]): void {
    this.#views = views;
    this.#draw();
  }

  /** Opens or closes every group, including undrawn ones. */
  openAll(open: boolean): void {
    for (const { key } of this.#views) this.#opened.set(key, open);
    // Open groups are long: those below the window are drawn when it comes near.
    if (!this.element.contains(document.activeElement)) this.#limit = STEP;
    this.#draw();
  }

  /** Moves the focus by a number of lines, groups and alerts alike. */
  move(by: number): void {
    this.#stops.move(by);
  }

  /** The alerts of the focused line: one, or those of a group. */
  get focused(): readonly ListedAlert[] {
    const stop = this.#focusedLine;
    const fingerprint = stop?.closest<HTMLElement>('.alert')?.dataset.fingerprint;
    const element = stop?.closest('.group');
    const alerts = [...this.#byKey.values()].find((card) => card.element === element)?.view.alerts ?? [];
    return fingerprint === undefined ? alerts : alerts.filter((alert) => alert.fingerprint === fingerprint);
  }

  get #focusedLine(): HTMLElement | undefined {
    return this.#stops.focused ?? this.#pane.focusedLine;
  }

  /** Opens or closes the panel that says why the focused alert notifies or not; false when none is focused. */
  toggleWhy(): boolean {
    const alert = this.#focusedLine?.closest('.alert');
    const toggle = alert?.querySelector<HTMLElement>('[data-stop][aria-expanded="false"]');
    toggle?.click();
    const button = (
      alert?.querySelector('.alert-details') ??
      (alert && this.#pane.element)
    )?.querySelector<HTMLElement>('.why-button');
    // The pane opens with the reasons.
    if (!(toggle && button?.ariaExpanded === 'true')) button?.click();
    return button !== null && button !== undefined;
  }

  /** Checks the boxes of the selected alerts. */
  showSelection(selected: ReadonlySet<string>): void {
    for (const row of this.#cards.querySelectorAll<HTMLElement>('.alert')) {
      const box = row.querySelector<HTMLInputElement>('.pick input');
      if (box) box.checked = selected.has(row.dataset.fingerprint ?? '');
    }
  }

  #draw(): void {
    const before = this.#byKey;
    this.#byKey = new Map();
    const total = this.#views.reduce((sum, { alerts }) => sum + alerts.length, 0);
    const worst = worstGroup(this.#views);
    for (const view of this.#views.slice(0, this.#limit)) {
      const open = this.#opened.get(view.key) ?? (total <= MAX_OPEN || view === worst);
      const known = before.get(view.key);
      known?.update(view, open);
      const remember = (opened: boolean) => {
        this.#opened.set(view.key, opened);
        this.#pane.check();
        this.#stops.refresh();
      };
      this.#byKey.set(view.key, known ?? new GroupCard(view, open, this.#parts, remember));
    }
    syncChildren(
      this.#cards,
      [...this.#byKey.values()].map((card) => card.element),
    );
    this.#growth.element.hidden = this.#byKey.size === this.#views.length;
    this.#growth.check();
    this.#pane.check();
    this.#stops.refresh();
  }
}

import { browserStorage } from '../composer/drafts.ts';
import { copilotPanel } from '../copilot/panel.ts';
import type { Drawer } from '../shell/drawer.ts';
import type { Ui } from '../shell/ui.ts';
import { t } from '../text/text.ts';
import { membersPanel } from './members-panel.ts';

export type PanelName = 'members' | 'copilot';

/** A panel of the drawer about a room. */
export interface Panel {
  readonly element: HTMLElement;
  /** Shows the current state, but leaves fields that the user has changed. */
  refresh(): void;
}

const TITLES = { members: 'room.about', copilot: 'copilot' } as const;
const PANELS = { members: membersPanel, copilot: copilotPanel } as const;
const DISMISSED_KEY = 'opsdeck.rooms.about-dismissed';

/**
 * The panels about the open room, kept up to date. In a wide window the drawer shows that of the members when it shows
 * nothing else, unless the user has closed it.
 */
export class RoomPanels {
  readonly #ui: Ui;
  readonly #drawer: Drawer;
  readonly #storage = browserStorage();
  readonly #wide = matchMedia('(min-width: 1800px)');
  #panel: Panel | undefined;
  #isAutomatic = false;

  constructor(ui: Ui, drawer: Drawer) {
    this.#ui = ui;
    this.#drawer = drawer;
    const refresh = () => {
      if (drawer.name === 'members' || drawer.name === 'copilot') this.#panel?.refresh();
    };
    ui.topics.on('room', refresh);
    ui.topics.on('members', refresh);
    this.#wide.addEventListener('change', () => {
      if (this.#wide.matches) this.fill();
      else if (this.#isAutomatic && drawer.name === 'members') drawer.close();
    });
  }

  toggle(name: PanelName): void {
    if (this.#drawer.name === name) {
      this.dismissed(name);
      this.#drawer.close();
    } else this.#open(name, false);
  }

  /** Fills an empty drawer of a wide window. */
  fill(): void {
    const isWanted = this.#wide.matches && this.#drawer.name === '' && this.#storage.getItem(DISMISSED_KEY) === null;
    if (isWanted) this.#open('members', true);
  }

  /** The user has closed a panel. */
  dismissed(name: string): void {
    if (name === 'members' && this.#wide.matches) this.#storage.setItem(DISMISSED_KEY, '1');
  }

  #open(name: PanelName, isAutomatic: boolean): void {
    const { current } = this.#ui.model;
    if (!current) return;
    if (name === 'members' && !isAutomatic) this.#storage.removeItem(DISMISSED_KEY);
    this.#isAutomatic = isAutomatic;
    this.#panel = PANELS[name](current, this.#ui);
    this.#drawer.show(name, t(TITLES[name]), this.#panel.element, { isFocused: !isAutomatic });
  }
}

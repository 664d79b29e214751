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

/** The panels about the open room, kept up to date. */
export class RoomPanels {
  readonly #ui: Ui;
  readonly #drawer: Drawer;
  #panel: Panel | undefined;

  constructor(ui: Ui, drawer: Drawer) {
    this.#ui = ui;
    this.#drawer = drawer;
    const refresh = () => {
      if (drawer.name === 'members' || drawer.name === 'copilot') this.#panel?.refresh();
    };
    ui.topics.on('room', refresh);
    ui.topics.on('members', refresh);
  }

  toggle(name: PanelName): void {
    const { current } = this.#ui.model;
    if (this.#drawer.name === name) this.#drawer.close();
    else if (current) {
      this.#panel = PANELS[name](current, this.#ui);
      this.#drawer.show(name, t(TITLES[name]), this.#panel.element);
    }
  }
}

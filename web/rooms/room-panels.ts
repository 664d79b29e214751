import { type CopilotPanel, copilotPanel } from './copilot-panel.ts';
import type { Drawer } from './drawer.ts';
import { membersPanel } from './members-panel.ts';
import type { Ui } from './ui.ts';

export type PanelName = 'members' | 'copilot';

/** The panels about the room that is open; they follow what changes, but not under somebody's hands. */
export class RoomPanels {
  readonly #ui: Ui;
  readonly #drawer: Drawer;
  #copilot: CopilotPanel | undefined;

  constructor(ui: Ui, drawer: Drawer) {
    this.#ui = ui;
    this.#drawer = drawer;
    ui.topics.on('copilot', () => {
      if (drawer.name === 'copilot') this.#copilot?.refresh();
    });
    ui.topics.on('members', () => {
      const { current } = ui.model;
      if (current && drawer.name === 'members' && !drawer.element.contains(document.activeElement))
        drawer.replace(membersPanel(current, ui));
    });
  }

  toggle(name: PanelName): void {
    const { current } = this.#ui.model;
    if (this.#drawer.name === name) this.#drawer.close();
    else if (current && name === 'members') this.#drawer.show(name, 'About this room', membersPanel(current, this.#ui));
    else if (current) {
      this.#copilot = copilotPanel(current, this.#ui);
      this.#drawer.show(name, 'Copilot', this.#copilot.element);
    }
  }
}

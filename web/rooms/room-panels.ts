import { copilotPanel } from './copilot-panel.ts';
import type { Drawer } from './drawer.ts';
import { membersPanel } from './members-panel.ts';
import type { Ui } from './ui.ts';

export type PanelName = 'members' | 'copilot';

const TITLES: Readonly<Record<PanelName, string>> = { members: 'About this room', copilot: 'Copilot' };
const PANELS = { members: membersPanel, copilot: copilotPanel } as const;

/** The panels about the room that is open; they follow what changes, but not under somebody's hands. */
export class RoomPanels {
  readonly #ui: Ui;
  readonly #drawer: Drawer;

  constructor(ui: Ui, drawer: Drawer) {
    this.#ui = ui;
    this.#drawer = drawer;
    ui.topics.on('drawer', () => this.#redraw());
    ui.topics.on('members', () => {
      if (drawer.name === 'members' && !drawer.element.contains(document.activeElement)) this.#redraw();
    });
  }

  toggle(name: PanelName): void {
    const { current } = this.#ui.model;
    if (this.#drawer.name === name) this.#drawer.close();
    else if (current) this.#drawer.show(name, TITLES[name], PANELS[name](current, this.#ui));
  }

  #redraw(): void {
    const { name } = this.#drawer;
    if (name !== 'members' && name !== 'copilot') return;
    this.#drawer.close();
    this.toggle(name);
  }
}

import type { KeyAction } from '../keys.ts';
import type { PageContext } from '../page.ts';
import { acknowledge } from '../silence/acknowledge.ts';
import { openSilenceForm } from '../silence/open-form.ts';
import { Selection } from '../silence/selection.ts';
import type { GroupList } from './group-list.ts';
import type { AlertList } from './list.ts';
import type { ListedAlert } from './model.ts';
import { SelectionBar } from './selection-bar.ts';

/** What is done with alerts: selecting, acknowledging and silencing them, by key and by the bar of the selection. */
export class AlertCommands {
  readonly bar: SelectionBar;
  readonly #context: PageContext;
  readonly #list: () => GroupList;
  readonly #onChanged: () => void;
  readonly #selection = new Selection();
  #listed: readonly ListedAlert[] = [];

  /** `onChanged` is called when the server has other silences than before. */
  constructor(context: PageContext, list: () => GroupList, onChanged: () => void) {
    this.#context = context;
    this.#list = list;
    this.#onChanged = onChanged;
    this.bar = new SelectionBar({
      acknowledge: () => void this.acknowledge(this.#targets()),
      silence: () => void openSilenceForm(this.#targets(), this.#context),
      clear: () => this.clear(),
    });
  }

  isSelected(fingerprint: string): boolean {
    return this.#selection.ids.has(fingerprint);
  }

  /** The listed alerts in their order; the selection loses all others. */
  showList({ groups }: AlertList): void {
    this.#listed = groups.flatMap(({ alerts }) => alerts);
    this.#selection.keep(new Set(this.#ids()));
    this.#draw();
  }

  select(fingerprint: string, isSelected: boolean, isRange: boolean): void {
    this.#selection.set(fingerprint, isSelected, isRange, this.#ids());
    this.#draw();
  }

  clear(): void {
    this.#selection.clear();
    this.#draw();
  }

  async acknowledge(alerts: readonly ListedAlert[]): Promise<void> {
    await acknowledge(alerts, this.#context);
    this.clear();
    this.#onChanged();
  }

  /** Does what a key means for alerts; false for another one, or without an alert to do it with. */
  perform(action: KeyAction): boolean {
    if (action === 'clear') {
      const hadSelection = this.#selection.ids.size > 0;
      this.clear();
      return hadSelection;
    }
    if (action === 'select' || action === 'select-range') return this.#selectFocused(action === 'select-range');
    const targets = this.#targets();
    if (targets.length === 0) return false;
    if (action === 'acknowledge') void this.acknowledge(targets);
    else if (action === 'silence') void openSilenceForm(targets, this.#context);
    else return false;
    return true;
  }

  /** A group is selected whole, and deselected if it was. */
  #selectFocused(isRange: boolean): boolean {
    const { focused } = this.#list();
    const isSelected = focused.some(({ fingerprint }) => !this.isSelected(fingerprint));
    for (const { fingerprint } of focused)
      this.#selection.set(fingerprint, isSelected || isRange, isRange, this.#ids());
    this.#draw();
    return focused.length > 0;
  }

  #targets(): readonly ListedAlert[] {
    const { ids } = this.#selection;
    return ids.size > 0 ? this.#listed.filter(({ fingerprint }) => ids.has(fingerprint)) : this.#list().focused;
  }

  #ids(): readonly string[] {
    return this.#listed.map(({ fingerprint }) => fingerprint);
  }

  #draw(): void {
    this.bar.show(this.#selection.ids.size);
    this.#list().showSelection(this.#selection.ids);
  }
}

import { h, setText } from '../../shared/dom.ts';
import { t } from '../text.ts';

export interface SelectionActions {
  acknowledge(): void;
  silence(): void;
  clear(): void;
}

/** The actions on the selected alerts; hidden without a selection. */
export class SelectionBar {
  readonly element: HTMLElement;
  readonly #count = h('p', { role: 'status' });

  constructor(actions: SelectionActions) {
    const button = (text: string, key: string, onclick: () => void, style = 'small') =>
      h('button', { type: 'button', class: style, 'aria-keyshortcuts': key, onclick }, text);
    this.element = h(
      'section',
      { class: 'selection-bar', 'aria-label': t('alert.selection'), hidden: true },
      this.#count,
      button(t('alert.acknowledge'), 'a', () => actions.acknowledge(), 'small primary'),
      button(t('alert.silence'), 's', () => actions.silence()),
      button(t('alert.deselect'), 'Escape', () => actions.clear(), 'quiet'),
    );
  }

  show(n: number): void {
    this.element.hidden = n === 0;
    setText(this.#count, t('alert.selected', { n }));
  }
}

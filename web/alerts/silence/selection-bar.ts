import { h, setText } from '../../shared/dom.ts';
import { parseSpan } from '../parts/time-text.ts';
import { t } from '../text.ts';
import { EXTENSIONS } from './extend-dialog.ts';

interface SelectionActions {
  extend(ms: number): void;
  expire(): void;
  clear(): void;
}

/** The actions on the selected silences; hidden without a selection. */
export class SelectionBar {
  readonly element: HTMLElement;
  readonly #count = h('p', { role: 'status' });

  constructor(actions: SelectionActions) {
    const extensions = EXTENSIONS.map((text) => {
      const onclick = () => actions.extend(parseSpan(text) ?? 0);
      return h(
        'button',
        { type: 'button', class: 'small', onclick, 'aria-label': t('silence.extend.by', { span: text }) },
        `+${text}`,
      );
    });
    const key = (name: string) => h('kbd', { 'aria-hidden': 'true' }, name);
    const expire = () => actions.expire();
    this.element = h(
      'section',
      { class: 'selection-bar', 'aria-label': t('silence.selection'), hidden: true },
      this.#count,
      h(
        'span',
        { class: 'actions' },
        h('span', { class: 'soft', 'aria-hidden': 'true' }, t('silence.extend'), ' ', key('e')),
        extensions,
      ),
      h('button', { type: 'button', class: 'small danger', onclick: expire }, t('silence.expire'), key('d')),
      h('button', { type: 'button', class: 'quiet', onclick: () => actions.clear() }, t('silence.clear-selection')),
    );
  }

  show(count: number): void {
    this.element.hidden = count === 0;
    setText(this.#count, count === 0 ? '' : t('silence.selected', { n: count }));
  }
}

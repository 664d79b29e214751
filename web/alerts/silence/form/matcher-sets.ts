import type { Matcher } from '../../../../src/alerts/contract/wire.ts';
import { h, setText } from '../../../shared/dom.ts';
import { matcherChip } from '../../alert/label-chip.ts';
import { formatMatchers } from '../../parts/matcher-text.ts';
import { t } from '../../text.ts';

/** The matchers of several silences, each of which can be left out. */
export class MatcherSets {
  readonly element: HTMLElement;
  readonly #title = h('p', { class: 'hint' });
  readonly #list = h('ul', { class: 'matcher-sets' });
  readonly #onChange: () => void;
  #sets: readonly (readonly Matcher[])[];

  constructor(sets: readonly (readonly Matcher[])[], onChange: () => void) {
    this.#sets = sets;
    this.#onChange = onChange;
    this.element = h('div', {}, this.#title, this.#list);
    this.#draw();
  }

  get sets(): readonly (readonly Matcher[])[] {
    return this.#sets;
  }

  focus(): void {
    this.#list.querySelector<HTMLElement>('button:not([hidden])')?.focus();
  }

  /** Removes sets that are saved, or left out. */
  remove(removed: readonly (readonly Matcher[])[]): void {
    this.#sets = this.#sets.filter((set) => !removed.includes(set));
    this.#draw();
    this.#onChange();
  }

  #draw(): void {
    setText(this.#title, t('silence.form.sets', { n: this.#sets.length }));
    const items = this.#sets.map((set) => {
      const leaveOut = () => {
        this.remove([set]);
        this.#list.querySelector('button')?.focus();
      };
      const name = formatMatchers(set);
      const button = h(
        'button',
        {
          type: 'button',
          class: 'quiet remove',
          'aria-label': t('silence.form.set.remove', { name }),
          onclick: leaveOut,
        },
        '×',
      );
      button.hidden = this.#sets.length === 1;
      return h('li', { class: 'matcher-set' }, h('span', { class: 'matchers' }, set.map(matcherChip)), button);
    });
    this.#list.replaceChildren(...items);
  }
}

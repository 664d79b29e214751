import { h, setText } from '../../../shared/dom.ts';
import { t } from '../../text.ts';
import { type SilenceTemplate, SilenceTemplates } from './templates.ts';

interface TemplateParts {
  /** Fills in the form. */
  use(template: SilenceTemplate): void;
  /** The form as a template. */
  current(name: string): SilenceTemplate;
}

/** Chooses a template of this browser, or keeps the form as one. */
export class TemplateFields {
  /** The templates; hidden without any. */
  readonly choice: HTMLElement;
  /** The button and the field to keep the form. */
  readonly saving: HTMLElement;
  readonly #parts: TemplateParts;
  /** Read at each access, as forbidden storage throws. */
  readonly #templates = new SilenceTemplates({
    getItem: (key) => localStorage.getItem(key),
    setItem: (key, value) => localStorage.setItem(key, value),
  });
  readonly #list = h('ul', { class: 'templates' });
  readonly #name = h('input', { type: 'text', id: 'template-name', 'aria-label': t('silence.template.name') });
  readonly #naming: HTMLElement;
  readonly #note = h('span', { class: 'hint', role: 'status' });

  constructor(parts: TemplateParts) {
    this.#parts = parts;
    const keep = h(
      'button',
      { type: 'button', class: 'small', onclick: () => this.#keep() },
      t('silence.template.keep'),
    );
    this.#name.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter') return;
      event.preventDefault();
      this.#keep();
    });
    this.#name.placeholder = t('silence.template.name');
    this.#naming = h('span', { class: 'template-naming', hidden: true }, this.#name, keep);
    const save = h(
      'button',
      { type: 'button', class: 'quiet', onclick: () => this.#ask() },
      t('silence.template.save'),
    );
    this.choice = h(
      'section',
      { class: 'template-choice', 'aria-label': t('silence.template') },
      h('span', { class: 'soft', 'aria-hidden': 'true' }, t('silence.template')),
      this.#list,
    );
    this.saving = h('div', { class: 'template-saving' }, save, this.#naming, this.#note);
    this.#draw();
  }

  #draw(): void {
    const items = this.#templates.list().map((template) => {
      const { name } = template;
      const forget = () => {
        this.#templates.forget(name);
        this.#draw();
      };
      return h(
        'li',
        { class: 'template' },
        h('button', { type: 'button', class: 'small', onclick: () => this.#parts.use(template) }, name),
        h(
          'button',
          { type: 'button', class: 'quiet', 'aria-label': t('silence.template.forget', { name }), onclick: forget },
          '×',
        ),
      );
    });
    this.#list.replaceChildren(...items);
    this.choice.hidden = items.length === 0;
  }

  #ask(): void {
    setText(this.#note, '');
    this.#naming.hidden = false;
    this.#name.focus();
  }

  #keep(): void {
    const name = this.#name.value.trim();
    if (name === '') {
      this.#name.focus();
      return;
    }
    const isKept = this.#templates.keep(this.#parts.current(name));
    setText(this.#note, t(isKept ? 'silence.template.saved' : 'silence.template.lost', { name }));
    this.#naming.hidden = true;
    this.#name.value = '';
    this.#draw();
  }
}

import type { FlagDetails } from '../../../src/relay/contract/page.ts';
import { copyButton } from '../../shared/copy-button.ts';
import { h, setAttribute } from '../../shared/dom.ts';
import { ApiError } from '../api.ts';
import type { PageContext } from '../page.ts';

const FORMS = ['JSON', 'YAML'] as const;

/** The definition of the flag as JSON and YAML, to copy. */
export class Definition {
  readonly element: HTMLElement;
  readonly #context: PageContext;
  readonly #text = h('pre', { class: 'definition', tabindex: 0 });
  readonly #buttons: readonly HTMLButtonElement[];
  #details: FlagDetails;
  #form: (typeof FORMS)[number] = 'JSON';

  constructor(context: PageContext, details: FlagDetails) {
    const { t, clock, language } = context.ui;
    this.#context = context;
    this.#details = details;
    this.#buttons = FORMS.map((form) =>
      h('button', { type: 'button', class: 'small', onclick: () => this.#choose(form) }, form),
    );
    this.element = h(
      'div',
      {},
      h(
        'div',
        { class: 'definition-head', role: 'group', 'aria-label': t('source.form') },
        this.#buttons,
        copyButton(clock, t('source.title'), () => this.#text.textContent ?? '', language),
      ),
      this.#text,
    );
    this.#choose('JSON');
  }

  update(details: FlagDetails): void {
    const isSame = details.json === this.#details.json;
    this.#details = details;
    if (!isSame) this.#choose(this.#form);
  }

  #choose(form: (typeof FORMS)[number]): void {
    this.#form = form;
    for (const button of this.#buttons) setAttribute(button, 'aria-pressed', String(button.textContent === form));
    if (form === 'JSON') this.#text.textContent = JSON.stringify(JSON.parse(this.#details.json), null, 2);
    else void this.#loadYaml();
  }

  async #loadYaml(): Promise<void> {
    const { environment, key } = this.#details;
    try {
      const text = await this.#context.api.yaml(environment, key);
      if (this.#form === 'YAML') this.#text.textContent = text;
    } catch (error) {
      if (error instanceof ApiError && error.kind === 'refused')
        this.#text.textContent = this.#context.ui.words(error.message);
      else this.#context.onFailure(error);
    }
  }
}

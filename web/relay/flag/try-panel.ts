import type { TryAnswer } from '../../../src/relay/contract/page.ts';
import { h, setAttribute } from '../../shared/dom.ts';
import { fieldError } from '../../shared/shell/states.ts';
import { ApiError } from '../api.ts';
import type { PageContext } from '../page.ts';
import { swatch } from '../parts/share-bar.ts';
import type { TextKey } from '../text/en.ts';
import { english } from '../text/en.ts';

const FIRST_CONTEXT = '{"kind": "user", "key": "ada"}';
/** Kept for the next flag. */
let lastContext = FIRST_CONTEXT;

/** Evaluates the flag for a context, and shows every step. */
export class TryPanel {
  readonly element: HTMLElement;
  readonly #context: PageContext;
  readonly #field = h('textarea', {
    class: 'code',
    rows: 3,
    spellcheck: 'false',
    id: 'try-context',
    'aria-describedby': 'try-error',
  });
  readonly #error = fieldError('try-error');
  readonly #result = h('div', { class: 'try-result', role: 'status' });
  readonly #flag: string;
  readonly #environment: string;

  constructor(context: PageContext, environment: string, flag: string) {
    this.#context = context;
    this.#environment = environment;
    this.#flag = flag;
    const { t } = context.ui;
    this.#field.value = lastContext;
    const run = (event: Event) => {
      event.preventDefault();
      void this.#run();
    };
    this.#field.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) run(event);
    });
    this.element = h(
      'form',
      { class: 'try', onsubmit: run },
      h('label', { for: 'try-context' }, t('try.context')),
      this.#field,
      h('button', { type: 'submit', 'aria-keyshortcuts': 'Control+Enter' }, t('try.run')),
      this.#error,
      this.#result,
    );
  }

  async #run(): Promise<void> {
    const { t } = this.#context.ui;
    lastContext = this.#field.value;
    let context: unknown;
    try {
      context = JSON.parse(lastContext);
    } catch (error) {
      this.#refuse(t('try.invalid', { reason: error instanceof Error ? error.message : '' }));
      return;
    }
    try {
      this.#show(await this.#context.api.try({ environment: this.#environment, flag: this.#flag, context }));
    } catch (error) {
      if (error instanceof ApiError && error.kind === 'refused') this.#refuse(this.#context.ui.words(error.message));
      else this.#context.onFailure(error);
    }
  }

  #refuse(reason: string): void {
    setAttribute(this.#field, 'aria-invalid', 'true');
    this.#error.textContent = reason;
    this.#result.replaceChildren();
  }

  #show({ value, variation, reason, steps }: TryAnswer): void {
    const { t } = this.#context.ui;
    setAttribute(this.#field, 'aria-invalid', undefined);
    this.#error.textContent = '';
    this.#result.replaceChildren(
      h(
        'p',
        { class: 'try-value' },
        swatch(variation),
        h('code', {}, JSON.stringify(value)),
        h(
          'span',
          { class: 'soft' },
          `${variation === null ? t('try.no-variation') : t('try.variation', { n: variation })}, ${this.#reasonWords(reason)}`,
        ),
      ),
      h('h3', {}, t('try.steps')),
      h('pre', { class: 'path', tabindex: 0 }, steps.join('\n')),
    );
  }

  #reasonWords(reason: unknown): string {
    const { kind, ruleIndex, prerequisiteKey } = reason as Readonly<Record<string, string | number | undefined>>;
    const key = `reason.${kind}`;
    if (!(key in english)) return String(kind);
    return this.#context.ui.t(key as TextKey, { n: Number(ruleIndex), key: String(prerequisiteKey) });
  }
}

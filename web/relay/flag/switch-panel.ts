import type { FlagDetails, SwitchAnswer } from '../../../src/relay/contract/page.ts';
import { h, setText } from '../../shared/dom.ts';
import { noticeBox, offerButton } from '../../shared/shell/states.ts';
import { ApiError } from '../api.ts';
import type { PageContext } from '../page.ts';

/** Turns a flag of a file on and off, with a comment, and back. */
export class SwitchPanel {
  readonly element = h('div', { class: 'switch' });
  readonly #context: PageContext;
  readonly #button = h('button', { type: 'button', class: 'small' });
  readonly #form: HTMLFormElement;
  readonly #comment: HTMLInputElement;
  readonly #confirm = h('button', { type: 'submit', class: 'primary' });
  readonly #result = h('div', { class: 'switch-result', role: 'status' });
  #details: FlagDetails;

  constructor(context: PageContext, details: FlagDetails) {
    const { t } = context.ui;
    this.#context = context;
    this.#details = details;
    this.#comment = h('input', { type: 'text', maxlength: 500, 'aria-label': t('switch.comment') });
    this.#comment.placeholder = t('switch.comment');
    const cancel = h('button', { type: 'button', onclick: () => this.#close() }, t('switch.cancel'));
    this.#form = h('form', { class: 'switch-form', hidden: true }, this.#comment, this.#confirm, cancel);
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#switch(!this.#details.flag.on, this.#details.flag.version, this.#comment.value);
    });
    this.#form.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.#close();
    });
    this.#button.addEventListener('click', () => {
      this.#result.replaceChildren();
      this.#form.hidden = false;
      this.#button.hidden = true;
      this.#comment.focus();
    });
    this.update(details);
  }

  update(details: FlagDetails): void {
    const { t } = this.#context.ui;
    this.#details = details;
    const { switchObstacle, flag } = details;
    if (switchObstacle !== null) {
      this.element.replaceChildren(h('p', { class: 'soft' }, t(`switch.${switchObstacle}`)));
      return;
    }
    setText(this.#button, t(flag.on ? 'switch.off' : 'switch.on'));
    setText(this.#confirm, t(flag.on ? 'switch.confirm.off' : 'switch.confirm.on'));
    if (this.#form.parentElement !== this.element) this.element.replaceChildren(this.#button, this.#form, this.#result);
  }

  #close(): void {
    this.#form.hidden = true;
    this.#button.hidden = false;
    this.#comment.value = '';
    this.#button.focus();
  }

  async #switch(on: boolean, version: number, comment: string): Promise<void> {
    const { environment, key } = this.#details;
    this.#confirm.disabled = true;
    try {
      const answer = await this.#context.api.switchFlag(key, { environment, on, version, comment });
      this.#close();
      this.#showDone(on, answer);
      this.#context.refresh();
    } catch (error) {
      if (error instanceof ApiError && (error.kind === 'refused' || error.kind === 'failed'))
        this.#refuse(error.message);
      else this.#context.onFailure(error);
    } finally {
      this.#confirm.disabled = false;
    }
  }

  #refuse(reason: string): void {
    this.#result.replaceChildren(noticeBox('error', [this.#context.ui.words(reason)]));
    this.#context.refresh();
  }

  #showDone(on: boolean, { file, version }: SwitchAnswer): void {
    const { t } = this.#context.ui;
    const perform = () => void this.#switch(!on, version ?? this.#details.flag.version, t('switch.undo.comment'));
    const text = t(on ? 'switch.done.on' : 'switch.done.off', { file });
    this.#result.replaceChildren(noticeBox('good', [text], [offerButton({ label: t('switch.undo'), perform })]));
  }
}

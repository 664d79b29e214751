import { h, setAttribute, setText } from '../shared/dom.ts';
import type { Progress } from './messages.ts';
import type { Ui } from './ui.ts';

/** Tells of work under way, with a way to give it up. */
export class ProgressBar {
  readonly element: HTMLElement;
  readonly #bar = h('progress', {});
  readonly #text = h('p', { role: 'status' });
  readonly #cancel: HTMLButtonElement;
  readonly #works = new Map<number, { readonly label: string; progress: Progress; readonly cancel: () => void }>();
  readonly #ui: Ui;
  #last = 0;

  constructor(ui: Ui) {
    this.#ui = ui;
    this.#cancel = h('button', { type: 'button', class: 'small', onclick: () => this.#cancelAll() }, ui.t('cancel'));
    this.element = h('div', { class: 'progress', hidden: true }, this.#text, this.#bar, this.#cancel);
  }

  /** Runs a work and shows it while it lasts. */
  async follow<Result>(
    label: string,
    work: (onProgress: (progress: Progress) => void, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    this.#last += 1;
    const id = this.#last;
    const controller = new AbortController();
    const entry = { label, progress: { done: 0, total: 0, count: 0 }, cancel: () => controller.abort() };
    this.#works.set(id, entry);
    this.#draw();
    try {
      return await work((progress) => {
        entry.progress = progress;
        this.#draw();
      }, controller.signal);
    } finally {
      this.#works.delete(id);
      this.#draw();
    }
  }

  #cancelAll(): void {
    for (const { cancel } of this.#works.values()) cancel();
  }

  #draw(): void {
    const works = [...this.#works.values()];
    const [first] = works;
    this.element.hidden = !first;
    setAttribute(this.element, 'aria-busy', first !== undefined && 'true');
    if (!first) {
      setText(this.#text, '');
      return;
    }
    const done = works.reduce((sum, { progress }) => sum + progress.done, 0);
    const isKnown = works.every(({ progress }) => progress.total > 0);
    const total = works.reduce((sum, { progress }) => sum + progress.total, 0);
    const others = works.length > 1 ? ` ${this.#ui.t('progress.others', { n: works.length - 1 })}` : '';
    setText(this.#text, `${first.label}${others}`);
    setAttribute(this.#bar, 'max', isKnown && total);
    setAttribute(this.#bar, 'value', isKnown && done);
    setAttribute(this.#bar, 'aria-label', first.label);
  }
}

import { h, setAttribute, setText } from '../../shared/dom.ts';
import type { Ui } from '../shell/ui.ts';
import type { Progress } from '../text/messages.ts';

type Label = (ui: Ui) => string;

/** Progress of running tasks, with a button to cancel. Outlives a change of language. */
export class ProgressBar {
  readonly element: HTMLElement;
  readonly #bar = h('progress', {});
  readonly #text = h('p', { role: 'status' });
  /** Outside of the live text: announcing it twenty times a second would disturb. */
  readonly #count = h('span', { class: 'progress-count', 'aria-hidden': 'true' });
  readonly #cancel: HTMLButtonElement;
  readonly #works = new Map<number, { readonly label: Label; progress: Progress; readonly cancel: () => void }>();
  #ui: Ui;
  #last = 0;
  #isStopped = false;

  constructor(ui: Ui) {
    this.#ui = ui;
    this.#cancel = h('button', { type: 'button', class: 'small', onclick: () => this.#cancelAll() }, ui.t('cancel'));
    this.element = h('div', { class: 'progress', hidden: true }, this.#text, this.#count, this.#bar, this.#cancel);
  }

  /** Continues in another language. */
  speak(ui: Ui): void {
    this.#ui = ui;
    setText(this.#cancel, ui.t('cancel'));
    this.#draw();
  }

  /** Runs a task and shows its progress. */
  async follow<Result>(
    label: Label,
    work: (onProgress: (progress: Progress) => void, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    this.#last += 1;
    const id = this.#last;
    const controller = new AbortController();
    const entry = { label, progress: { done: 0, total: 0, count: 0 }, cancel: () => controller.abort() };
    if (!this.#isStopped) this.#works.set(id, entry);
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

  /** Drops all current and later tasks: none will end. */
  stop(): void {
    this.#isStopped = true;
    this.#works.clear();
    this.#draw();
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
    const { t } = this.#ui;
    const label = first.label(this.#ui);
    const others = works.length > 1 ? ` ${t('progress.others', { n: works.length - 1 })}` : '';
    const count = works.reduce((sum, { progress }) => sum + progress.count, 0);
    setText(this.#text, `${label}${others}`);
    setText(this.#count, count > 0 ? t('progress.count', { n: count }) : '');
    setAttribute(this.#bar, 'max', isKnown && total);
    setAttribute(this.#bar, 'value', isKnown && done);
    setAttribute(this.#bar, 'aria-label', label);
  }
}

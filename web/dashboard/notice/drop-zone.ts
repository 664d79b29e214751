import { h, setText } from '../../shared/dom.ts';
import { icon } from '../../shared/icons.ts';
import type { Ui } from '../shell/ui.ts';

export interface DropZoneParts {
  onPick(): void;
  onFiles(files: readonly File[]): void;
  onSample(): void;
}

const WORDS = {
  empty: { title: 'drop.title', text: 'drop.text' },
  sample: { title: 'sample.title', text: 'sample.text' },
  logs: { title: 'logs.none', text: 'logs.none-text' },
} as const;

/** The drop zone for a first CSV file, hidden once there are data; files may be dropped anywhere. */
export class DropZone {
  readonly element: HTMLElement;
  /** Covers the window while a file is dragged over it. */
  readonly overlay: HTMLElement;
  readonly #parts: DropZoneParts;
  readonly #tried = h('ul', { class: 'tried' });
  readonly #title = h('p', { class: 'drop-title' });
  readonly #text = h('p', { class: 'soft' });
  readonly #sample: HTMLButtonElement;
  readonly #t: Ui['t'];
  readonly #listening = new AbortController();
  #depth = 0;

  constructor({ t }: Ui, parts: DropZoneParts) {
    this.#t = t;
    this.#parts = parts;
    this.#sample = h('button', { type: 'button', onclick: () => parts.onSample() }, t('sample.load'));
    this.element = h(
      'section',
      { class: 'drop-zone', id: 'drop-zone', 'aria-label': t('drop.title'), hidden: true },
      h('span', { class: 'drop-icon', 'aria-hidden': 'true' }, icon('upload')),
      h('div', { class: 'drop-words' }, this.#title, this.#text),
      h(
        'p',
        { class: 'actions' },
        h('button', { type: 'button', class: 'primary', onclick: () => parts.onPick() }, t('drop.choose')),
        this.#sample,
      ),
      this.#tried,
    );
    this.overlay = h('div', { class: 'drop-overlay', hidden: true }, h('p', {}, icon('upload'), t('drop.here')));
    this.#listen();
  }

  /** `sample`: a banner for the sample data. `tried`: addresses without a file; of `logs`, the folders without requests. */
  show(mode: 'hidden' | 'empty' | 'sample' | 'logs', tried: readonly string[]): void {
    const isSample = mode === 'sample';
    this.element.hidden = mode === 'hidden';
    this.element.classList.toggle('compact', isSample);
    const words = WORDS[mode === 'hidden' ? 'empty' : mode];
    setText(this.#title, this.#t(words.title));
    setText(this.#text, this.#t(words.text));
    this.#sample.hidden = isSample;
    this.#tried.replaceChildren(
      ...tried.map((address) => h('li', {}, h('code', {}, address), mode === 'logs' ? '' : ' 404')),
    );
    this.#tried.hidden = tried.length === 0 || isSample;
  }

  destroy(): void {
    this.#listening.abort();
    this.overlay.remove();
  }

  #listen(): void {
    const { signal } = this.#listening;
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true;
    const settle = (depth: number) => {
      this.#depth = Math.max(0, depth);
      this.overlay.hidden = this.#depth === 0;
    };
    document.addEventListener('dragenter', (event) => hasFiles(event) && settle(this.#depth + 1), { signal });
    document.addEventListener('dragleave', (event) => hasFiles(event) && settle(this.#depth - 1), { signal });
    document.addEventListener('dragover', (event) => hasFiles(event) && event.preventDefault(), { signal });
    document.addEventListener(
      'drop',
      (event) => {
        settle(0);
        const files = [...(event.dataTransfer?.files ?? [])];
        if (files.length === 0) return;
        event.preventDefault();
        this.#parts.onFiles(files);
      },
      { signal },
    );
  }
}

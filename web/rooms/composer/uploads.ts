import type { WireFile } from '../../../src/rooms/contract/message.ts';
import { h } from '../../shared/dom.ts';
import { icon } from '../../shared/icons.ts';
import type { Api } from '../api.ts';
import { reasonOf } from '../api-error.ts';
import { printSize } from '../shell/time-text.ts';
import { t } from '../text/text.ts';

const MAX_FILES = 10;

interface Upload {
  readonly element: HTMLElement;
  file: WireFile | undefined;
  isFailed: boolean;
}

/** The files of the next message; each is uploaded as soon as it is chosen. */
export class Uploads {
  readonly element = h('ul', { class: 'uploads', 'aria-label': t('composer.attachments'), hidden: true });
  readonly #api: Api;
  readonly #say: (text: string) => void;
  #uploads: Upload[] = [];

  constructor(api: Api, say: (text: string) => void) {
    this.#api = api;
    this.#say = say;
  }

  get isEmpty(): boolean {
    return this.#files.length === 0;
  }

  /** Whether no file is shown, in any state. */
  get isUnused(): boolean {
    return this.#uploads.length === 0;
  }

  /** Whether a file is still being uploaded. */
  get isBusy(): boolean {
    return this.#uploads.some(({ file, isFailed }) => !file && !isFailed);
  }

  get #files(): readonly WireFile[] {
    return this.#uploads.flatMap(({ file }) => file ?? []);
  }

  /** Returns the files and clears the list. */
  take(): readonly WireFile[] {
    const files = this.#files;
    this.#uploads = [];
    this.#show();
    return files;
  }

  /** Shows files that are on the server already. */
  putBack(files: readonly WireFile[]): void {
    for (const file of files) {
      const { element, upload } = this.#rowOf(file.name, file.size);
      element.querySelector('progress')?.remove();
      upload.file = file;
    }
  }

  add(files: readonly File[]): void {
    const room = MAX_FILES - this.#uploads.length;
    if (files.length > room) this.#say(t('composer.many-files', { n: MAX_FILES }));
    for (const file of files.slice(0, Math.max(0, room))) void this.#add(file);
  }

  #rowOf(name: string, size: number) {
    const bar = h('progress', { max: 1, value: 0, 'aria-label': t('composer.uploading', { name }) });
    const state = h('span', { class: 'soft' }, printSize(size));
    const remove = h(
      'button',
      {
        type: 'button',
        class: 'icon-button',
        'aria-label': t('composer.remove', { name }),
        onclick: () => this.#remove(upload),
      },
      icon('close'),
    );
    const element = h(
      'li',
      { class: 'upload' },
      icon('file'),
      h('span', { class: 'file-name' }, name),
      state,
      bar,
      remove,
    );
    const upload: Upload = { element, file: undefined, isFailed: false };
    this.#uploads.push(upload);
    this.#show();
    return { element, upload, bar, state };
  }

  async #add(file: File): Promise<void> {
    const { element, upload, bar, state } = this.#rowOf(file.name, file.size);
    try {
      upload.file = await this.#api.upload(file, (done) => {
        bar.value = done;
      });
    } catch (error) {
      upload.isFailed = true;
      state.textContent = reasonOf(error);
      element.classList.add('failed');
      this.#say(`${file.name}: ${reasonOf(error)}`);
    }
    bar.remove();
  }

  #remove(upload: Upload): void {
    this.#uploads = this.#uploads.filter((other) => other !== upload);
    this.#show();
  }

  #show(): void {
    this.element.hidden = this.#uploads.length === 0;
    this.element.replaceChildren(...this.#uploads.map(({ element }) => element));
  }
}

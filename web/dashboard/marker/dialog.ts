import { RECOMMENDED_CATEGORIES } from '../../../src/dashboard/domain/marker/category.ts';
import type { ProjectMarker } from '../../../src/dashboard/domain/marker/marker.ts';
import type { Sums } from '../../../src/dashboard/domain/view.ts';
import type { CancelTimer } from '../../shared/clock.ts';
import { h, setText } from '../../shared/dom.ts';
import { Field, fillSelect } from '../controls/controls.ts';
import type { Ui } from '../shell/ui.ts';
import { instantOf, wallTimeIn } from '../text/format.ts';
import { categoryName } from './category-names.ts';

/** The fields of the dialog. */
export interface MarkerDraft {
  readonly user: string;
  readonly start: string;
  readonly end: string | null;
  readonly project: string;
  readonly task: string;
  readonly note: string;
}

export interface MarkerDialogParts {
  readonly users: readonly string[];
  readonly projects: readonly string[];
  /** Undefined for a new one. */
  readonly marker: ProjectMarker | undefined;
  readonly draft: MarkerDraft;
  /** The sums of the interval, and the number of other markers it overlaps. */
  cover(
    user: string,
    from: number,
    to: number | undefined,
  ): Promise<{ readonly sums: Sums; readonly overlaps: number }>;
  onSave(draft: MarkerDraft): void;
  onDelete(): void;
}

/** The dialog of a marker: times, project, task. Enter saves, Escape cancels, the focus returns to where it was. */
export class MarkerDialog {
  readonly #ui: Ui;
  readonly #parts: MarkerDialogParts;
  readonly #from: Field<HTMLInputElement>;
  readonly #to: Field<HTMLInputElement>;
  readonly #user: HTMLSelectElement;
  readonly #project: Field<HTMLInputElement>;
  readonly #task: HTMLInputElement;
  readonly #note: HTMLTextAreaElement;
  readonly #preview = h('p', { class: 'preview', role: 'status' });
  readonly #dialog: HTMLDialogElement;
  #timer: CancelTimer = () => {};
  #asked = 0;

  constructor(ui: Ui, parts: MarkerDialogParts) {
    this.#ui = ui;
    this.#parts = parts;
    const { t, format } = ui;
    const { draft } = parts;
    const moment = (iso: string | null) => {
      const input = h('input', { type: 'datetime-local', oninput: () => this.#previewSoon() });
      input.value = iso === null ? '' : wallTimeIn(format.zone, Date.parse(iso));
      return input;
    };
    const zone = format.zoneName(Date.parse(draft.start));
    this.#from = new Field(`${t('from')} (${zone})`, moment(draft.start));
    this.#to = new Field(`${t('to')} (${zone})`, moment(draft.end), {
      hint: h('p', { class: 'hint' }, t('marker.to-hint')),
    });
    this.#user = h('select', { onchange: () => this.#previewSoon() });
    const users = parts.users.map((value) => ({ value, label: value }));
    fillSelect(this.#user, [...users, { value: 'all', label: t('user.all-long') }], draft.user);
    const text = (value: string, list?: string) => {
      const input = h('input', { type: 'text', autocomplete: 'off', list });
      input.value = value;
      return input;
    };
    this.#project = new Field(t('marker.project'), text(draft.project, 'known-projects'));
    this.#task = text(draft.task);
    this.#note = h('textarea', { rows: 2 });
    this.#note.value = draft.note;
    this.#dialog = this.#build();
  }

  open(): void {
    document.body.append(this.#dialog);
    this.#dialog.showModal();
    this.#project.control.focus();
    this.#previewSoon();
  }

  #build(): HTMLDialogElement {
    const { t } = this.#ui;
    const { marker } = this.#parts;
    const close = () => this.#dialog.close();
    const remove =
      marker && h('button', { type: 'button', class: 'danger', onclick: () => this.#remove() }, t('marker.delete'));
    const endNow = h('button', { type: 'button', class: 'quiet', onclick: () => this.#endNow() }, t('marker.end-now'));
    const task = new Field(t('marker.task'), this.#task, { hint: this.#categories() });
    const known = h(
      'datalist',
      { id: 'known-projects' },
      this.#parts.projects.map((value) => h('option', { value })),
    );
    const form = h(
      'form',
      { method: 'dialog', novalidate: true, onsubmit: (event: Event) => this.#submit(event) },
      h('h2', { id: 'marker-title' }, t(marker ? 'marker.edit' : 'marker.new')),
      h('div', { class: 'fields two' }, this.#from.element, h('div', {}, this.#to.element, endNow)),
      this.#project.element,
      task.element,
      new Field(t('marker.user'), this.#user).element,
      new Field(t('marker.note'), this.#note).element,
      known,
      this.#preview,
      h(
        'div',
        { class: 'dialog-actions' },
        remove,
        h('span', { class: 'spring' }),
        h('button', { type: 'button', onclick: close }, t('cancel')),
        h('button', { type: 'submit', class: 'primary' }, t('marker.save')),
      ),
    );
    const dialog = h('dialog', { class: 'marker-dialog', 'aria-labelledby': 'marker-title' }, form);
    dialog.addEventListener('close', () => {
      this.#timer();
      dialog.remove();
    });
    return dialog;
  }

  /** Chips that prefix the task with a category. */
  #categories(): HTMLElement {
    const chips = RECOMMENDED_CATEGORIES.map((recommended) => {
      const category = categoryName(recommended, this.#ui.language);
      const onclick = () => {
        const rest = this.#task.value.replace(/^\s*[\p{L} ]{1,40}:\s*/u, '');
        this.#task.value = `${category}: ${rest}`;
        this.#task.focus();
      };
      return h('button', { type: 'button', class: 'chip-button', onclick }, category);
    });
    return h('div', { class: 'chips', role: 'group', 'aria-label': this.#ui.t('marker.categories') }, chips);
  }

  #read(): { readonly from: number | undefined; readonly to: number | undefined; readonly isOpen: boolean } {
    const { zone } = this.#ui.format;
    const end = this.#to.control.value;
    return { from: instantOf(zone, this.#from.control.value), to: instantOf(zone, end), isOpen: end === '' };
  }

  #submit(event: Event): void {
    event.preventDefault();
    const { t } = this.#ui;
    const { from, to, isOpen } = this.#read();
    const project = this.#project.control.value.trim();
    this.#from.showError(from === undefined ? t('error.time') : undefined);
    const isBackward = from !== undefined && to !== undefined && to <= from;
    this.#to.showError(isBackward ? t('error.end') : undefined);
    this.#project.showError(project === '' ? t('error.project') : undefined);
    const first = [this.#from, this.#to, this.#project].find((field) => field.control.ariaInvalid === 'true');
    if (first || from === undefined) {
      first?.control.focus();
      return;
    }
    this.#dialog.close();
    this.#parts.onSave({
      user: this.#user.value,
      start: new Date(from).toISOString(),
      end: isOpen || to === undefined ? null : new Date(to).toISOString(),
      project,
      task: this.#task.value.trim(),
      note: this.#note.value.trim(),
    });
  }

  #remove(): void {
    this.#dialog.close();
    this.#parts.onDelete();
  }

  #endNow(): void {
    this.#to.control.value = wallTimeIn(this.#ui.format.zone, this.#ui.clock.now());
    this.#previewSoon();
  }

  #previewSoon(): void {
    this.#timer();
    this.#timer = this.#ui.clock.after(150, () => void this.#showPreview());
  }

  async #showPreview(): Promise<void> {
    const { t, format } = this.#ui;
    const { from, to } = this.#read();
    if (from === undefined || (to !== undefined && to <= from)) {
      setText(this.#preview, '');
      return;
    }
    this.#asked += 1;
    const asked = this.#asked;
    const { sums, overlaps } = await this.#parts.cover(this.#user.value, from, to);
    if (asked !== this.#asked) return;
    const covers = t('marker.covers', { n: sums.requests, cost: format.money(sums.cost) });
    setText(this.#preview, overlaps > 0 ? `${covers} ${t('marker.overlaps', { n: overlaps })}` : covers);
    this.#preview.classList.toggle('warn', overlaps > 0);
  }
}

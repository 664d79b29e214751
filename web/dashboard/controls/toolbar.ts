import { h, setText } from '../../shared/dom.ts';
import { icon } from '../../shared/icons.ts';
import type { PageState, Source } from '../data/state.ts';
import { SOURCES } from '../data/state.ts';
import { Menu } from '../shell/menu.ts';
import type { Ui } from '../shell/ui.ts';
import { Field, fillSelect, foldButton, iconButton, Segments } from './controls.ts';

export interface ToolbarParts {
  onSource(source: Source): void;
  onUser(user: string): void;
  /** Empty for all projects. */
  onProject(project: string): void;
  /** Shows what was read of the logs of assistants. */
  onLogs(): void;
  onFiles(files: readonly File[]): void;
  /** Deletes the browser's copies of files. */
  onForget(): void;
  onRefresh(): void;
  onExportCsv(): void;
  onExportJson(): void;
  onExportPicture(): void;
  onExportMarkers(): void;
  onImportMarkers(file: File): void;
}

/** `color` is a CSS colour. */
export interface ToolbarUser {
  readonly label: string;
  readonly color: string;
}

/** Source, user and actions; stays at the top while the page scrolls. */
export class Toolbar {
  readonly element: HTMLElement;
  readonly #t: Ui['t'];
  readonly #source: Segments<Source>;
  readonly #user: Segments<string>;
  readonly #project: Field<HTMLSelectElement>;
  readonly #logs: HTMLButtonElement;
  readonly #refresh: HTMLButtonElement;
  readonly #files: HTMLInputElement;
  readonly #forgetText = h('span');
  readonly #forget: HTMLButtonElement;

  constructor({ t }: Ui, parts: ToolbarParts) {
    this.#t = t;
    this.#source = new Segments('source', t('source'), (source) => parts.onSource(source));
    this.#user = new Segments('user', t('user'), (user) => parts.onUser(user));
    const project = h('select', { id: 'project-filter' });
    project.addEventListener('change', () => parts.onProject(project.value));
    this.#project = new Field(t('project'), project, { class: 'inline project-filter' });
    this.#project.element.hidden = true;
    this.#logs = iconButton('table', t('logs'), () => parts.onLogs(), { text: true });
    this.#logs.hidden = true;
    this.#refresh = iconButton('refresh', t('refresh-live'), () => parts.onRefresh(), { text: true });
    this.#files = picker('.csv,.tsv,text/csv', t('load-csv'), true, (files) => parts.onFiles(files));
    const markers = picker('.json,application/json', t('import-markers'), false, ([file]) => {
      if (file) parts.onImportMarkers(file);
    });
    this.#forget = h(
      'button',
      { type: 'button', class: 'with-icon', hidden: true, onclick: () => parts.onForget() },
      icon('trash'),
      this.#forgetText,
    );
    const exports = new Menu(
      [icon('download'), h('span', {}, t('export')), icon('chevron')],
      [
        { label: t('export.csv'), hint: t('export.csv-hint'), perform: () => parts.onExportCsv() },
        { label: t('export.json'), hint: t('export.json-hint'), perform: () => parts.onExportJson() },
        { label: t('export.markers'), hint: t('export.markers-hint'), perform: () => parts.onExportMarkers() },
        { label: t('export.picture'), hint: t('export.picture-hint'), perform: () => parts.onExportPicture() },
      ],
    );
    const actions = h(
      'div',
      { class: 'toolbar-actions' },
      iconButton('upload', t('load-csv'), () => this.pickFiles(), { text: true }),
      this.#forget,
      this.#refresh,
      this.#logs,
      exports.element,
      iconButton('flag', t('import-markers'), () => markers.click(), { text: true }),
      this.#files,
      markers,
    );
    this.element = h(
      'div',
      { class: 'toolbar', role: 'region', 'aria-label': t('toolbar') },
      h(
        'div',
        { class: 'toolbar-inner' },
        this.#source.element,
        this.#user.element,
        this.#project.element,
        foldButton('sliders', t('actions'), actions),
        actions,
      ),
    );
  }

  pickFiles(): void {
    this.#files.click();
  }

  /** Shown only if there are projects, or one is chosen. */
  showProjects(projects: readonly string[], chosen: string): void {
    this.#project.element.hidden = projects.length === 0 && chosen === '';
    const named = projects.map((name) => ({ value: name, label: name }));
    fillSelect(this.#project.control, [{ value: '', label: this.#t('project.all') }, ...named], chosen);
  }

  /** There are logs of assistants. */
  showLogs(): void {
    this.#logs.hidden = false;
  }

  /** `names`: the files that the browser keeps. */
  showKept(names: readonly string[]): void {
    this.#forget.hidden = names.length === 0;
    this.#forget.title = this.#t('kept.names', { names: names.join(', ') });
    setText(this.#forgetText, this.#t('kept.forget', { n: names.length }));
  }

  /** `canFetch`: whether any user has a token. */
  show(state: PageState, users: readonly ToolbarUser[], canFetch: boolean): void {
    const t = this.#t;
    this.#source.show(
      SOURCES.map((value) => ({ value, label: t(`source.${value}`) })),
      state.source,
    );
    const all = { value: 'all', label: t('user.all') };
    this.#user.show([all, ...users.map(({ label, color }) => ({ value: label, label, color }))], state.user);
    this.#refresh.disabled = !canFetch;
    this.#refresh.title = canFetch ? '' : t('refresh-live.no-token');
  }
}

function picker(
  accept: string,
  label: string,
  multiple: boolean,
  onFiles: (files: readonly File[]) => void,
): HTMLInputElement {
  const input = h('input', { type: 'file', accept, multiple, hidden: true, 'aria-label': label });
  input.addEventListener('change', () => {
    const files = [...(input.files ?? [])];
    input.value = '';
    if (files.length > 0) onFiles(files);
  });
  return input;
}

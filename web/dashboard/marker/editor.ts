import type { ProjectMarker } from '../../../src/dashboard/domain/marker/marker.ts';
import { appliesTo, resolveMarkers } from '../../../src/dashboard/domain/marker/marker.ts';
import type { Sums, TimeSpan } from '../../../src/dashboard/domain/view.ts';
import { saveFile } from '../data/download.ts';
import type { Notices } from '../notice/notices.ts';
import { confirmAction } from '../shell/dialogs.ts';
import type { Ui } from '../shell/ui.ts';
import { dateIn } from '../text/format.ts';
import type { MarkerDraft } from './dialog.ts';
import { MarkerDialog } from './dialog.ts';
import type { LocalMarkers } from './local.ts';
import { projectText } from './texts.ts';

const MINUTE_MS = 60_000;

export interface MarkerEditorParts {
  readonly markers: LocalMarkers;
  ui(): Ui;
  notices(): Notices;
  users(): readonly string[];
  /** The user that the page shows, or `all`. */
  user(): string;
  /** The project that the page shows; empty: all. */
  project(): string;
  /** The projects of logs. */
  projects(): readonly string[];
  /** The sums of an interval in the active source. */
  cover(user: string, from: number, to: number): Promise<Sums>;
}

/** Creates, edits, deletes, imports and exports markers through dialogs. */
export class MarkerEditor {
  readonly #parts: MarkerEditorParts;

  constructor(parts: MarkerEditorParts) {
    this.#parts = parts;
  }

  /** Handlers of the page's buttons. */
  readonly actions = {
    onNewMarker: () => this.create(),
    onEditMarker: (id: string) => this.edit(id),
    onEndMarker: (id: string) => this.endNow(id),
    onExportMarkers: () => this.exportAll(),
    onImportMarkers: (file: File) => void this.importFile(file),
  };

  /** Opens the dialog for a new marker: from now on, or of a drawn range. */
  create(range?: TimeSpan): void {
    const { markers, ui, user, users, project } = this.#parts;
    const now = ui().clock.now();
    const draft: MarkerDraft = {
      user: user() === 'all' ? (users()[0] ?? 'info') : user(),
      start: new Date(Math.floor((range?.from ?? now) / MINUTE_MS) * MINUTE_MS).toISOString(),
      end: range ? new Date(Math.ceil(range.to / MINUTE_MS) * MINUTE_MS).toISOString() : null,
      project: project(),
      task: '',
      note: '',
    };
    this.#open(undefined, draft, (saved) => markers.create(saved));
  }

  edit(id: string): void {
    const { markers } = this.#parts;
    const marker = markers.find(id);
    if (!marker) return;
    this.#open(marker, marker, (saved) => markers.edit(id, saved));
  }

  endNow(id: string): void {
    const { markers, ui } = this.#parts;
    const marker = markers.find(id);
    const now = ui().clock.now();
    if (marker && Date.parse(marker.start) < now) markers.edit(id, { end: new Date(now).toISOString() });
  }

  async importFile(file: File): Promise<void> {
    const { markers, ui, notices } = this.#parts;
    const { t } = ui();
    const preview = markers.preview(await file.text().then(parseJson));
    if (!preview) {
      notices().show('import', ({ t }) => {
        return { tone: 'error', title: t('import.bad', { name: file.name }), canClose: true };
      });
      return;
    }
    notices().show('import', undefined);
    const { added, updated, skipped } = preview;
    if (added + updated === 0) {
      notices().toasts.show(t('import.nothing', { name: file.name, skipped }));
      return;
    }
    const text = t('import.text', { added, updated, skipped });
    if (!(await confirmAction(ui(), { title: t('import.title'), text, action: t('import.action') }))) return;
    // Markers may have changed while the dialog was open: merges anew.
    markers.adopt(markers.preview({ version: 1, markers: preview.markers }) ?? preview);
    notices().toasts.show(t('import.done', { added, updated }));
  }

  exportAll(): void {
    const { markers, ui } = this.#parts;
    const { clock, format } = ui();
    const name = `usage-markers-${dateIn(format.zone, clock.now())}.json`;
    saveFile(new Blob([markers.print()], { type: 'application/json' }), name);
  }

  #open(marker: ProjectMarker | undefined, draft: MarkerDraft, save: (draft: MarkerDraft) => void): void {
    const { markers, ui, users, notices, projects } = this.#parts;
    const { t } = ui();
    const dialog = new MarkerDialog(ui(), {
      marker,
      draft,
      users: users(),
      projects: [...new Set([...markers.projects, ...projects()])],
      cover: (user, from, to) => this.#cover(marker?.id, user, from, to),
      onSave: (saved) => {
        const isSample = marker !== undefined && markers.isSample(marker.id);
        save(saved);
        notices().toasts.show(t(isSample ? 'marker.sample' : 'marker.saved', { project: saved.project }));
      },
      onDelete: () => marker && void this.#remove(marker),
    });
    dialog.open();
  }

  async #cover(
    id: string | undefined,
    user: string,
    from: number,
    to: number | undefined,
  ): Promise<{ readonly sums: Sums; readonly overlaps: number }> {
    const intervals = resolveMarkers(this.#parts.markers.all).filter(({ marker }) => marker.id !== id);
    const mine = intervals.filter(({ marker }) => appliesTo(marker, user) || user === marker.user);
    const next = mine.map((interval) => interval.from).filter((start) => start > from);
    const end = to ?? Math.min(Number.MAX_SAFE_INTEGER, ...next);
    const overlaps = mine.filter((interval) => interval.from < end && interval.to > from).length;
    return { sums: await this.#parts.cover(user, from, end), overlaps };
  }

  async #remove(marker: ProjectMarker): Promise<void> {
    const { markers, ui, notices } = this.#parts;
    const { t } = ui();
    const isSample = markers.isSample(marker.id);
    const end = marker.end === null ? undefined : Date.parse(marker.end);
    const { sums } = await this.#cover(marker.id, marker.user, Date.parse(marker.start), end);
    const project = projectText(marker, t);
    const text = t('marker.delete-text', { project, n: sums.requests });
    const question = { title: t('marker.delete-title'), text, action: t('marker.delete'), isDanger: true };
    if (!(await confirmAction(ui(), question))) return;
    markers.remove(marker.id);
    const undo = { label: t('undo'), perform: () => markers.restore(marker, isSample) };
    notices().toasts.show(t('marker.deleted', { project }), undo);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

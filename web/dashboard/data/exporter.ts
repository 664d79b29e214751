import type { ViewQuery } from '../../../src/dashboard/domain/view.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Page } from '../shell/page.ts';
import { dateIn } from '../text/format.ts';
import { saveFile } from './download.ts';
import type { WorkerClient } from './worker-client.ts';

export interface ExporterParts {
  readonly worker: WorkerClient;
  readonly clock: Clock;
  page(): Page;
  query(): ViewQuery;
}

/** Saves the shown data as files. */
export class Exporter {
  readonly #parts: ExporterParts;

  constructor(parts: ExporterParts) {
    this.#parts = parts;
  }

  async save(format: 'csv' | 'json'): Promise<void> {
    const query = this.#parts.query();
    saveFile(await this.#parts.worker.ask({ type: 'export', format, query }), this.#name('events', query, format));
  }

  /** Saves one picture of all shown charts. */
  async savePicture(): Promise<void> {
    const query = this.#parts.query();
    const { charts, screen, ui } = this.#parts.page();
    const picture = await charts.picture({ title: ui.t('title'), subtitle: screen.header.status });
    if (picture) saveFile(picture, this.#name('charts', query, 'png'));
    else screen.notices.toasts.show(ui.t('export.no-picture'));
  }

  #name(what: string, { user, zone }: ViewQuery, ending: string): string {
    return `usage-${what}-${user}-${dateIn(zone, this.#parts.clock.now())}.${ending}`;
  }
}

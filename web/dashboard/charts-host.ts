import type { TimeSpan, View } from '../../src/dashboard/domain/view.ts';
import { h } from '../shared/dom.ts';
import { icon } from '../shared/icons.ts';
import { nextTask } from '../shared/task.ts';
import type { ChartState, Charts, MarkerHit, PictureWords } from './charts/contract.ts';
import type { MarkerDisplay, Settings } from './data/settings.ts';
import type { TopModels } from './data/state.ts';
import { MarkerControls } from './marker/controls.ts';
import type { Ui } from './shell/ui.ts';
import { TopModelsControl } from './table/top-models-control.ts';

type ChartsChunk = typeof import('./charts-chunk.ts');

/** Time to load before the page reports that there are no charts. */
const GIVE_UP_MS = 10_000;

export interface ChartsHostParts {
  readonly ui: Ui;
  readonly settings: Settings;
  /** Address of the charts' code. */
  readonly address: string;
  topModels(): TopModels;
  onTopModels(count: TopModels): void;
  onZoom(range: TimeSpan | undefined): void;
  onMarker(hit: MarkerHit | undefined): void;
  onMarkRange(range: TimeSpan): void;
  onNewMarker(): void;
  onDisplay(display: MarkerDisplay): void;
  onFailure(): void;
}

/** Empty cards that keep the charts' room in a section until they arrive. */
export const placeholders = (count: number): readonly HTMLElement[] =>
  Array.from({ length: count }, () => h('div', { class: 'chart-place' }));

/** The charts of a screen: loads their code, mounts them, and puts the page's own controls into their heads. */
export class ChartsHost {
  readonly #parts: ChartsHostParts;
  #charts: Charts | undefined;
  #controls: readonly MarkerControls[] = [];
  #tops: readonly TopModelsControl[] = [];
  #latest: { readonly view: View | undefined; readonly state: ChartState } | undefined;
  #isOver = false;

  constructor(root: HTMLElement, parts: ChartsHostParts) {
    this.#parts = parts;
    const { clock } = parts.ui;
    const giveUp = clock.after(GIVE_UP_MS, () => {
      this.#isOver = true;
      parts.onFailure();
    });
    const loaded: Promise<ChartsChunk> = import(parts.address);
    loaded.then(
      async (chunk) => {
        giveUp();
        // Evaluating the library was a task of its own; mounting is the next.
        await nextTask();
        if (!this.#isOver) this.#mount(root, chunk);
      },
      () => {
        giveUp();
        if (!this.#isOver) parts.onFailure();
      },
    );
  }

  update(view: View | undefined, state: ChartState): void {
    this.#latest = { view, state };
    this.#charts?.update(view, state);
    this.#showControls();
  }

  /** The shown charts as a PNG; undefined: none. */
  async picture(words: PictureWords): Promise<Blob | undefined> {
    return this.#charts?.pagePicture(words);
  }

  resetZoom(): void {
    this.#charts?.resetZoom();
  }

  destroy(): void {
    this.#isOver = true;
    this.#charts?.destroy();
    this.#charts = undefined;
  }

  #mount(root: HTMLElement, { mountCharts, chartFormat, chartTexts }: ChartsChunk): void {
    const { ui, settings, ...parts } = this.#parts;
    const texts = chartTexts[ui.language];
    this.#charts = mountCharts(root, {
      translate: (key, values = {}) =>
        texts[key].replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? '')),
      language: ui.language,
      format: chartFormat(ui.format.locale),
      visibility: {
        get: (chart) => settings.hiddenSeries(chart),
        set: (chart, hidden) => settings.hideSeries(chart, hidden),
      },
      onZoom: (range) => parts.onZoom(range),
      onMarker: (hit) => parts.onMarker(hit),
      onMarkRange: (range) => parts.onMarkRange(range),
      icon,
      reducedMotion: () => matchMedia('(prefers-reduced-motion: reduce)').matches,
      clock: ui.clock,
    });
    this.#addControls(this.#charts);
    if (this.#latest) this.update(this.#latest.view, this.#latest.state);
  }

  #addControls(charts: Charts): void {
    const { ui, settings } = this.#parts;
    const onChange = (change: Partial<MarkerDisplay>) => {
      settings.markerDisplay = { ...settings.markerDisplay, ...change };
      this.#showControls();
      this.#parts.onDisplay(settings.markerDisplay);
    };
    const overview = new MarkerControls(ui, ui.t('section.overview'), {
      onChange,
      onMarkRange: () => charts.markRange(),
      onNew: () => this.#parts.onNewMarker(),
    });
    const cumulative = new MarkerControls(ui, ui.t('section.cumulative'), { onChange });
    charts.slot('overview').append(overview.element);
    charts.slot('cumulative').append(cumulative.element);
    this.#controls = [overview, cumulative];
    this.#tops = (['topCost', 'topTokens'] as const).map((chart) => {
      const control = new TopModelsControl(ui, chart, (count) => this.#parts.onTopModels(count));
      charts.slot(chart).append(control.element);
      return control;
    });
  }

  #showControls(): void {
    const projects = new Set(this.#latest?.view?.markers.map(({ marker }) => marker.project));
    for (const controls of this.#controls) controls.show(this.#parts.settings.markerDisplay, [...projects].sort());
    for (const control of this.#tops) control.show(this.#parts.topModels());
  }
}

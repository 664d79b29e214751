import type { View } from '../../../src/dashboard/domain/view.ts';
import { h } from '../../shared/dom.ts';
import { groupColours } from './colours.ts';
import type { Charts, ChartsDeps, PictureWords } from './contract.ts';
import { blobOf } from './download.ts';
import { ChartFigure } from './figure/figure.ts';
import type { FigureHost } from './figure/host.ts';
import type { ModelContext } from './model.ts';
import { CHARTS } from './models/chart-list.ts';
import { PaintQueue } from './page/paint-queue.ts';
import { composePage, type PagePart } from './page/picture.ts';
import { warmUp } from './page/warm-up.ts';
import { TimeZoom } from './plot/zoom.ts';
import type { ChartState } from './text/terms.ts';
import { readTheme, type Theme, watchTheme } from './theme.ts';

const TIME_CHARTS = CHARTS.filter(({ section }) => section === 'overview').map(({ key }) => key);

const NOTHING: ChartState = {
  zone: 'UTC',
  costBasis: 'reported',
  zoom: undefined,
  markers: { show: false, labels: false, project: 'all' },
  budgetCents: undefined,
  busy: false,
};

/** All charts and what they share: theme, time window, crosshair, announcements. */
export class ChartBoard implements Charts {
  readonly #deps: ChartsDeps;
  readonly #figures = new Map<string, ChartFigure>();
  readonly #metrics = new Map<string, string>();
  readonly #timeZoom: TimeZoom;
  readonly #queue: PaintQueue<string>;
  readonly #live = h('p', { class: 'off-screen', 'aria-live': 'polite' });
  readonly #unwatch: () => void;
  #theme: Theme;
  #view: View | undefined;
  #state = NOTHING;
  #colours: ReadonlyMap<string, string> = new Map();
  #isMarking = false;

  constructor(root: HTMLElement, deps: ChartsDeps) {
    this.#deps = deps;
    this.#theme = readTheme(root);
    this.#timeZoom = new TimeZoom(
      deps.clock,
      () => this.#paintZoom(),
      (span) => deps.onZoom(span),
    );
    this.#queue = new PaintQueue({
      paint: (key) => this.#figures.get(key)?.paint(),
      describe: (key) => this.#figures.get(key)?.describe(),
    });
    const host = this.#host();
    for (const element of root.querySelectorAll('[data-charts]')) element.replaceChildren();
    for (const chart of CHARTS) {
      const figure = new ChartFigure(chart, host, chart.section === 'overview' ? this.#timeZoom : undefined);
      this.#figures.set(chart.key, figure);
      (root.querySelector(`[data-charts="${chart.section}"]`) ?? root).append(figure.element);
      this.#queue.watch(chart.key, figure.element);
    }
    root.append(this.#live);
    void warmUp(this.#theme, deps.format);
    this.#unwatch = watchTheme(() => {
      this.#theme = readTheme(root);
      this.#queue.add(this.#figures.keys());
    });
  }

  update(view: View | undefined, state: ChartState): void {
    this.#view = view;
    this.#state = state;
    if (view) {
      this.#timeZoom.update(view.buckets, state.zoom);
      this.#colours = groupColours(view.markers.map(({ marker }) => marker.project));
    }
    for (const figure of this.#figures.values()) figure.update(view, state.busy);
    if (view) this.#queue.add(this.#figures.keys());
  }

  slot(chart: string): HTMLElement {
    return this.#figure(chart).slot;
  }

  markRange(): void {
    this.#isMarking = true;
    this.#figure('overview').markMode(true);
  }

  resetZoom(): void {
    for (const figure of this.#figures.values()) figure.resetZoom();
  }

  picture(chart: string): HTMLCanvasElement {
    return this.#figure(chart).picture();
  }

  async pagePicture(words: PictureWords): Promise<Blob | undefined> {
    const parts: PagePart[] = [];
    for (const [key, figure] of this.#figures) {
      await new Promise<void>((resolve) => this.#deps.clock.after(0, resolve));
      const { left, top, width } = figure.element.getBoundingClientRect();
      if (width === 0) continue;
      // A chart out of sight may still show an earlier view.
      figure.paint();
      if (!figure.isEmpty) parts.push({ canvas: this.picture(key), left, top: top + scrollY });
    }
    return parts.length > 0 ? blobOf(composePage(parts, words, this.#theme)) : undefined;
  }

  destroy(): void {
    this.#unwatch();
    this.#queue.close();
    this.#timeZoom.close();
    for (const figure of this.#figures.values()) figure.destroy();
    this.#live.remove();
  }

  #figure(key: string): ChartFigure {
    const figure = this.#figures.get(key);
    if (!figure) throw new Error(`there is no chart ${key}`);
    return figure;
  }

  /** Panning and wheel zoom are painted at once, without the queue. */
  #paintZoom(): void {
    for (const key of TIME_CHARTS) this.#figure(key).paintZoom();
  }

  #host(): FigureHost {
    const board = this;
    const { translate, language, format } = this.#deps;
    const context: ModelContext = {
      translate,
      say: (text) => text[language],
      format,
      get state() {
        return board.#state;
      },
      metric: (chart) => board.#metrics.get(chart),
    };
    return {
      deps: this.#deps,
      context,
      state: () => this.#state,
      theme: () => this.#theme,
      projectColour: (project) => this.#colours.get(project) ?? '--chart-muted',
      announce: (text) => {
        this.#live.textContent = text;
      },
      cursorMoved: (chart, index) => {
        for (const key of TIME_CHARTS) if (key !== chart) this.#figure(key).cursor.follow(index);
      },
      chooseMetric: (chart, metric) => {
        this.#metrics.set(chart, metric);
        this.#queue.add([chart]);
      },
      repaint: (chart) => this.#queue.add([chart]),
      rangeText: () => this.#rangeText(),
      marking: {
        get isOn() {
          return board.#isMarking;
        },
        end: () => this.#endMarking(),
      },
    };
  }

  #endMarking(): boolean {
    const wasMarking = this.#isMarking;
    this.#isMarking = false;
    this.#figure('overview').markMode(false);
    return wasMarking;
  }

  #rangeText(): string {
    const span = this.#timeZoom.span ?? this.#view?.interval.span;
    return span ? this.#deps.format.dateRange(span.from, span.to, this.#state.zone, 'minute') : '';
  }
}

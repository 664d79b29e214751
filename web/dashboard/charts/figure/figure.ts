import type { View } from '../../../../src/dashboard/domain/view.ts';
import { h, setAttribute, setText } from '../../../shared/dom.ts';
import { stateLine } from '../../../shared/shell/states.ts';
import { blobOf, drawPicture, saveFile } from '../download.ts';
import { placeBoxes } from '../marker-boxes.ts';
import { type Chart, type ChartModel, hiddenNow, hiddenToStore, withoutHidden } from '../model.ts';
import { Plot } from '../plot/plot.ts';
import { LocalZoom, type TimeZoom, type Zoom } from '../plot/zoom.ts';
import { chartCsv } from '../text/chart-csv.ts';
import { DataCursor } from './data-cursor.ts';
import { FigureGestures } from './figure-gestures.ts';
import { Gestures } from './gestures.ts';
import { FigureHead, type HeadActions } from './head.ts';
import type { FigureHost } from './host.ts';
import { Legend } from './legend.ts';
import { TableTwin } from './table-twin.ts';

const SAVED_FILE_LIVES_MS = 10_000;

/** One chart with its head, legend, table and tooltip. Receives views at once, and draws on demand. */
export class ChartFigure {
  readonly element: HTMLElement;
  readonly key: string;
  readonly cursor: DataCursor;
  readonly #chart: Chart;
  readonly #host: FigureHost;
  readonly #head: FigureHead;
  readonly #legend: Legend;
  readonly #twin: TableTwin;
  readonly #plot: Plot;
  readonly #zoom: Zoom;
  readonly #gestures: Gestures;
  readonly #figureGestures: FigureGestures;
  readonly #empty = h('div', { class: 'chart-empty', hidden: true });
  readonly #hint = h('p', { class: 'chart-hint', hidden: true });
  readonly #axes = h('div', { class: 'chart-axes', 'aria-hidden': 'true' });
  readonly #surface: HTMLElement;
  #view: View | undefined;
  /** With and without what is hidden. */
  #whole: ChartModel | undefined;
  #model: ChartModel | undefined;

  /** `timeZoom` is shared by the charts over time; all others zoom alone. */
  constructor(chart: Chart, host: FigureHost, timeZoom: TimeZoom | undefined) {
    const { key } = chart;
    this.#chart = chart;
    this.key = key;
    this.#host = host;
    const { translate, format } = host.deps;
    const title = host.context.say(chart.title);
    this.#zoom = timeZoom ?? new LocalZoom(() => host.repaint(key));
    this.#head = new FigureHead(title, host.deps, this.#headActions());
    this.#legend = new Legend(title, translate, (hidden) => this.#hide(hidden));
    this.#twin = new TableTwin(title, format, translate);
    const canvas = h('canvas', { id: `chart-${key}`, role: 'img', 'aria-label': title });
    this.#plot = new Plot(canvas, (box, isClick) => this.cursor.pointAtBox(box, isClick));
    const body = h('div', { class: 'chart-body' });
    this.cursor = new DataCursor(host, this.#plot, body);
    this.#surface = h(
      'div',
      { class: 'chart-plot', tabindex: 0, role: 'application', 'aria-label': title },
      canvas,
      this.cursor.overlay.element,
    );
    const help = h(
      'p',
      { class: 'off-screen', id: `chart-${key}-keys` },
      translate(timeZoom ? 'chart.keys' : 'chart.keysPlain'),
    );
    setAttribute(this.#surface, 'aria-describedby', help.id);
    setText(this.#hint, translate('chart.markHint'));
    body.append(this.#surface, this.#hint, this.#empty, this.cursor.tooltip.element, this.#twin.element);
    const size = timeZoom && key === 'overview' ? 'large' : undefined;
    this.element = h(
      'figure',
      { class: 'chart', 'data-chart-key': key, 'data-chart-size': size, 'data-loading': true },
      this.#head.element,
      this.#axes,
      body,
      this.#legend.element,
      help,
    );
    const parts = { host, plot: this.#plot, cursor: this.cursor, zoom: this.#zoom, element: this.#surface };
    this.#figureGestures = new FigureGestures({ ...parts, model: () => this.#model });
    this.#gestures = new Gestures(this.#surface, this.#figureGestures);
    this.#surface.addEventListener('keydown', (event) => this.#onKey(event));
    this.#surface.addEventListener('blur', () => this.cursor.leave());
  }

  #headActions(): HeadActions {
    return {
      resetZoom: () => this.#resetByButton(),
      toggleTall: (on) => this.#makeTall(on),
      toggleTable: (on) => this.#showTable(on),
      download: (kind) => void this.#download(kind),
      chooseMetric: (metric) => this.#host.chooseMetric(this.key, metric),
    };
  }

  get slot(): HTMLElement {
    return this.#head.slot;
  }

  /** Takes over a view; it is painted when the figure is near the screen. */
  update(view: View | undefined, isBusy: boolean): void {
    setAttribute(this.element, 'aria-busy', isBusy || view === undefined ? 'true' : undefined);
    this.#view = view;
    this.element.toggleAttribute('data-loading', view === undefined);
  }

  /** Draws the current view with the current legend, measure and zoom. */
  paint(): void {
    if (!this.#view) return;
    const whole = this.#chart.model(this.#view, this.#host.context);
    const hidden = hiddenNow(whole, this.#host.deps.visibility.get(this.key));
    const model = withoutHidden(whole, hidden);
    this.#whole = whole;
    this.#model = model;
    if (this.#zoom instanceof LocalZoom) this.#zoom.update(model.length);
    this.#drawPlot(model);
    this.#head.update(model, this.#zoom.isZoomed);
    this.#legend.update(whole, hidden, model.time?.markers.some(({ isOpen }) => isOpen) ?? false);
    this.#drawWords(whole, model);
    this.cursor.update(model);
  }

  /** Updates the canvas's name and the table for assistive technology. */
  describe(): void {
    if (!this.#whole || !this.#model) return;
    this.#twin.update(this.#model);
    setAttribute(this.#plot.canvas, 'aria-label', `${this.#whole.title}. ${this.#whole.summary}`);
  }

  /** Redraws after a change of zoom. */
  paintZoom(): void {
    const model = this.#model;
    if (!model) return;
    this.#drawPlot(model);
    this.#head.update(model, this.#zoom.isZoomed);
    this.cursor.update(model);
  }

  #drawPlot(model: ChartModel): void {
    const { state, theme, projectColour, deps } = this.#host;
    const { window } = this.#zoom;
    const boxes = model.time ? placeBoxes(model.time.markers, window) : [];
    this.#plot.draw(model, {
      theme: theme(),
      format: deps.format,
      window,
      boxes,
      showLabels: state().markers.labels,
      colorOf: ({ project }) => projectColour(project),
      moreText: (count) => deps.translate('chart.moreMarkers', { count }),
    });
  }

  #drawWords(whole: ChartModel, model: ChartModel): void {
    const { translate } = this.#host.deps;
    const nothing = model.series.length === 0 || (model.parts !== undefined && model.length === 0 && whole.length > 0);
    const text = whole.empty ?? (nothing ? translate('chart.allHidden') : undefined);
    this.#empty.hidden = text === undefined;
    this.#empty.replaceChildren(stateLine(text ?? ''));
    const { first, second } = whole.axes;
    this.#axes.hidden = whole.shape === 'ring';
    this.#axes.replaceChildren(h('span', {}, first), ...(second === undefined ? [] : [h('span', {}, second)]));
  }

  #makeTall(on: boolean): void {
    this.element.toggleAttribute('data-tall', on);
    const behavior = this.#host.deps.reducedMotion() ? 'auto' : 'smooth';
    if (on) this.element.scrollIntoView({ block: 'nearest', behavior });
  }

  #showTable(on: boolean): void {
    this.#twin.show(on);
    this.element.toggleAttribute('data-table', on);
  }

  #hide(hidden: ReadonlySet<string>): void {
    if (!this.#whole) return;
    this.#host.deps.visibility.set(this.key, hiddenToStore(this.#whole, hidden));
    this.#host.repaint(this.key);
  }

  #resetByButton(): void {
    this.#zoom.reset();
    this.#surface.focus();
    this.#figureGestures.announce();
  }

  #onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape' && (this.#gestures.cancel() || this.#host.marking.end())) event.preventDefault();
    else if (this.cursor.key(event.key, this.#inSight()) || this.#figureGestures.key(event.key, this.cursor.at)) {
      event.preventDefault();
      // Some keys are shortcuts of the page too.
      event.stopPropagation();
    }
  }

  #inSight() {
    const { min, max } = this.#zoom.window;
    return { min: Math.max(0, min), max: Math.min((this.#model?.length ?? 1) - 1, max) };
  }

  async #download(kind: 'png' | 'csv'): Promise<void> {
    const model = this.#model;
    if (!model) return;
    const file =
      kind === 'csv' ? new Blob([chartCsv(model)], { type: 'text/csv;charset=utf-8' }) : await blobOf(this.picture());
    const { onDownload, clock } = this.#host.deps;
    const name = `usage-${this.key}.${kind}`;
    if (onDownload) onDownload(file, name);
    else saveFile(file, name, (action) => clock.after(SAVED_FILE_LIVES_MS, action));
  }

  resetZoom(): void {
    this.#zoom.reset();
  }

  /** The chart as a picture; painted first if necessary. */
  picture(): HTMLCanvasElement {
    if (!this.#model) this.paint();
    const model = this.#model;
    if (!model) return this.#plot.canvas;
    return this.#plot.enlarged((plot, { width, height }) =>
      drawPicture({ model, theme: this.#host.theme(), plot, width, height, subtitle: this.#host.rangeText() }),
    );
  }

  /** Whether a text replaces the data; known once painted. */
  get isEmpty(): boolean {
    return !this.#model || !this.#empty.hidden;
  }

  markMode(on: boolean): void {
    this.#surface.toggleAttribute('data-marking', on);
    this.#hint.hidden = !on;
    if (!on) return;
    this.#surface.focus();
    this.#host.announce(this.#hint.textContent ?? '');
  }

  destroy(): void {
    this.#gestures.close();
    this.#plot.destroy();
    this.element.remove();
  }
}

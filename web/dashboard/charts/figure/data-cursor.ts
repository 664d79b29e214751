import type { MarkerView } from '../../../../src/dashboard/domain/view.ts';
import type { MarkerBox } from '../marker-boxes.ts';
import type { ChartModel } from '../model.ts';
import { formatUnit } from '../model.ts';
import type { PlotArea, PlotPoint } from '../plot/geometry.ts';
import type { Plot } from '../plot/plot.ts';
import type { Window } from '../plot/zoom-window.ts';
import { Tooltip } from '../tooltip/tooltip.ts';
import { moveCursor } from './cursor-move.ts';
import type { FigureHost } from './host.ts';
import { markersAt } from './host.ts';
import { Overlay } from './overlay.ts';

/** The column under the pointer or keyboard cursor: overlay, tooltip, announcement and markers. */
export class DataCursor {
  readonly overlay = new Overlay();
  readonly tooltip: Tooltip;
  readonly #host: FigureHost;
  readonly #plot: Plot;
  readonly #body: HTMLElement;
  #model: ChartModel | undefined;
  #index: number | undefined;
  #series = 0;
  #isKeyboard = false;
  #marker = 0;
  #point: PlotPoint | undefined;

  constructor(host: FigureHost, plot: Plot, body: HTMLElement) {
    this.#host = host;
    this.#plot = plot;
    this.#body = body;
    this.tooltip = new Tooltip(host.deps.format, host.deps.translate);
  }

  get at(): number | undefined {
    return this.#index;
  }

  /** Updates the cursor after the chart was drawn anew. */
  update(model: ChartModel): void {
    this.#model = model;
    this.#series = Math.min(this.#series, Math.max(0, model.series.length - 1));
    if (this.#index !== undefined && this.#index >= model.length) this.#index = undefined;
    this.#draw();
    if (!this.tooltip.element.hidden) {
      this.tooltip.hide();
      if (this.#point) this.#showTip(this.#point);
    }
  }

  hover(point: PlotPoint): void {
    const index = this.#plot.indexAt(point);
    if (index === undefined) {
      this.leave();
      return;
    }
    this.#isKeyboard = false;
    this.#moveTo(index);
    this.#showTip(point);
  }

  leave(): void {
    this.tooltip.hide();
    this.#point = undefined;
    this.#moveTo(undefined);
  }

  /** Follows the cursor of the other chart over time, without a tooltip. */
  follow(index: number | undefined): void {
    this.#index = index;
    this.#isKeyboard = false;
    this.tooltip.hide();
    this.#draw();
  }

  /** True if the key moved the cursor. */
  key(key: string, window: Window): boolean {
    const model = this.#model;
    if (!model || model.length === 0) return false;
    if (key === 'Escape' && this.#index !== undefined) {
      this.leave();
      return true;
    }
    if (key === 'Enter') return this.#openMarker(model);
    const across = key === 'ArrowUp' ? -1 : key === 'ArrowDown' ? 1 : 0;
    // With a single series, up and down move along the rows.
    if (across !== 0 && model.series.length > 1) this.#chooseSeries(across, window);
    else {
      const next = moveCursor(across === 0 ? key : across < 0 ? 'ArrowLeft' : 'ArrowRight', this.#index, window);
      if (next === undefined) return false;
      this.#marker = 0;
      this.#standAt(next);
    }
    this.#announce(model);
    return true;
  }

  #chooseSeries(step: number, { min }: Window): void {
    const count = this.#model?.series.length ?? 1;
    this.#series = (this.#series + step + count) % count;
    this.#standAt(this.#index ?? min);
  }

  #standAt(index: number): void {
    this.#isKeyboard = true;
    this.#moveTo(index);
    const band = this.#plot.bandOf(index);
    if (band) this.#showTip({ x: (band.left + band.right) / 2, y: band.top + (band.bottom - band.top) / 4 });
  }

  #moveTo(index: number | undefined): void {
    if (index === undefined && this.#index === undefined) return;
    this.#index = index;
    this.#draw();
    if (this.#model?.time) this.#host.cursorMoved(this.#model.key, index);
  }

  #draw(): void {
    this.overlay.point(this.#plot, this.#model, this.#index, this.#chosen());
    this.#plot.raise(this.#index);
  }

  #chosen(): string | undefined {
    return this.#isKeyboard ? this.#model?.series[this.#series]?.key : undefined;
  }

  #showTip(point: PlotPoint): void {
    const model = this.#model;
    if (!model || this.#index === undefined) return;
    this.#point = point;
    const markers = this.#markers(model, this.#index);
    const content = {
      model,
      index: this.#index,
      chosen: this.#chosen(),
      markers,
      markerColor: this.#host.projectColour,
    };
    this.tooltip.show(content, point, this.#body);
  }

  #markers(model: ChartModel, index: number): readonly MarkerView[] {
    return model.time ? markersAt(model.time.markers, index) : [];
  }

  #announce(model: ChartModel): void {
    const index = this.#index ?? 0;
    const series = model.series[this.#series];
    if (!series) return;
    const { translate, format } = this.#host.deps;
    const value = formatUnit(format, series.unit, series.values[index] ?? 0);
    const text = translate('chart.cursor', { title: model.name(index), series: series.label, value });
    const names = this.#markers(model, index).map(({ marker }) =>
      [marker.project, marker.task].filter(Boolean).join(' · '),
    );
    const markers = names.join(', ');
    this.#host.announce(names.length > 0 ? translate('chart.cursorMarkers', { text, markers }) : text);
  }

  /** Enter opens the popover of the marker under the cursor; again, of the next one below it. */
  #openMarker(model: ChartModel): boolean {
    const index = this.#index;
    if (index === undefined) return false;
    const markers = this.#markers(model, index);
    const chosen = markers[this.#marker % Math.max(1, markers.length)];
    const band = this.#plot.bandOf(index);
    if (!chosen || !band) return false;
    this.#marker++;
    const anchor = this.#onScreen({ ...band, top: Math.max(0, band.top - 4), bottom: band.top });
    this.#host.deps.onMarker({ markerIds: [chosen.marker.id], anchor, pinned: true });
    return true;
  }

  /** The pointer entered, left (undefined) or clicked a marker's box. */
  pointAtBox(box: MarkerBox | undefined, pinned: boolean): void {
    const area = box && this.#plot.anchorOf(box);
    this.#host.deps.onMarker(box && area ? { markerIds: box.ids, anchor: this.#onScreen(area), pinned } : undefined);
  }

  pointAtArea(markerIds: readonly string[], area: PlotArea, pinned: boolean): void {
    this.#host.deps.onMarker({ markerIds, anchor: this.#onScreen(area), pinned });
  }

  #onScreen({ left, top, right, bottom }: PlotArea): DOMRect {
    const canvas = this.#plot.canvas.getBoundingClientRect();
    return new DOMRect(canvas.left + left, canvas.top + top, right - left, bottom - top);
  }
}

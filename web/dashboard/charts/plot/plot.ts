import {
  ArcElement,
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  DoughnutController,
  Filler,
  Interaction,
  type InteractionModeFunction,
  LinearScale,
  LineController,
  LineElement,
  LogarithmicScale,
  PointElement,
} from 'chart.js';
import annotation, { type AnnotationOptions } from 'chartjs-plugin-annotation';
import { boxAnnotation, levelAnnotation } from '../annotations.ts';
import { isDense } from '../dense/columns.ts';
import { type DenseSource, denseSeries } from '../dense/series.ts';
import type { MarkerBox } from '../marker-boxes.ts';
import { boxEdges } from '../marker-boxes.ts';
import type { ChartModel } from '../model.ts';
import type { ChartFormat } from '../text/terms.ts';
import type { Theme } from '../theme.ts';
import { plotDatasets, SCALES } from './data.ts';
import type { PlotArea, PlotPoint } from './geometry.ts';
import {
  type DrawnLabel,
  type LabelSource,
  MAX_ROWS,
  type Margins,
  markerLabels,
  placeLabels,
  ROW_PX,
} from './label-plugin.ts';
import { plotOptions } from './options.ts';
import { ringCentre, rowTitle, rowValues } from './value-plugins.ts';
import type { Window } from './zoom-window.ts';

declare module 'chart.js' {
  interface InteractionModeMap {
    none: InteractionModeFunction;
  }
}

Interaction.modes.none = () => [];
Chart.register(
  ArcElement,
  BarController,
  BarElement,
  CategoryScale,
  DoughnutController,
  Filler,
  LinearScale,
  LineController,
  LineElement,
  LogarithmicScale,
  PointElement,
  annotation,
);

/** What a plot needs beside its model. */
export interface PlotScene {
  readonly theme: Theme;
  readonly format: ChartFormat;
  readonly window: Window;
  readonly boxes: readonly MarkerBox[];
  readonly showLabels: boolean;
  colorOf(box: MarkerBox): string;
  moreText(count: number): string;
}

/** Wraps Chart.js. */
export class Plot {
  readonly canvas: HTMLCanvasElement;
  readonly #onBox: (box: MarkerBox | undefined, isClick: boolean) => void;
  #chart: Chart | undefined;
  #model: ChartModel | undefined;
  #scene: PlotScene | undefined;
  #labels: readonly DrawnLabel[] = [];
  /** Of the last drawing; a guess before the first. */
  #margins: Margins = { left: 48, right: 48 };
  #rows = 0;

  /** `onBox` is called when the pointer enters, leaves (undefined) or clicks a marker's box. */
  constructor(canvas: HTMLCanvasElement, onBox: (box: MarkerBox | undefined, isClick: boolean) => void) {
    this.canvas = canvas;
    this.#onBox = onBox;
  }

  draw(model: ChartModel, scene: PlotScene): void {
    if (this.#model && (this.#model.shape === 'ring') !== (model.shape === 'ring')) this.destroy();
    this.#model = model;
    this.#scene = scene;
    const { time } = model;
    const options = plotOptions(model, { ...scene, labelRoom: (chart) => this.#labelRoom(chart) });
    options.plugins = {
      annotation: {
        animations: false as never,
        annotations: { ...this.#boxes(model, scene), ...levelAnnotation(model, scene.theme) },
      },
    };
    const data = {
      labels: Array.from({ length: model.length }, (_, index) => index),
      datasets: isDense(model, scene.theme) ? [] : plotDatasets(model, scene.theme),
    };
    if (this.#chart) {
      this.#chart.data = data as never;
      this.#chart.options = options as never;
      this.#chart.update('none');
      return;
    }
    const shown = { model: () => this.#model, theme: () => this.#theme(), format: scene.format };
    const overTime = time ? [denseSeries(this.#denseSource()), markerLabels(this.#labelSource())] : [];
    const plugins = [ringCentre(shown), rowValues(shown), rowTitle(shown), ...overTime];
    this.#chart = new Chart(this.canvas, {
      type: model.shape === 'ring' ? 'doughnut' : 'bar',
      data,
      options,
      plugins,
    } as never);
  }

  /** The plot without its axes; undefined until drawn. */
  get area(): PlotArea | undefined {
    return this.#chart?.chartArea;
  }

  /** The category (slice, column or row) at a point; undefined outside of the plot. */
  indexAt({ x, y }: PlotPoint): number | undefined {
    const chart = this.#chart;
    const model = this.#model;
    if (!chart?.chartArea || !model || model.length === 0) return undefined;
    if (model.shape === 'ring') return this.#sliceAt(chart, { x, y });
    const { left, right, top, bottom } = chart.chartArea;
    if (x < left || x > right || y < top || y > bottom) return undefined;
    return this.columnAt({ x, y });
  }

  /** The column or row nearest to a point. */
  columnAt({ x, y }: PlotPoint): number | undefined {
    const scale = this.#chart?.scales.category;
    if (!scale || !this.#model) return undefined;
    const value = scale.getValueForPixel(this.#model.shape === 'rows' ? y : x);
    return value === undefined ? undefined : Math.min(scale.max, Math.max(scale.min, Math.round(value)));
  }

  #sliceAt(chart: Chart, { x, y }: PlotPoint): number | undefined {
    const elements = chart.getDatasetMeta(0).data as unknown as {
      inRange(x: number, y: number, final: boolean): boolean;
    }[];
    const index = elements.findIndex((element) => element.inRange(x, y, true));
    return index >= 0 && index < (this.#model?.length ?? 0) ? index : undefined;
  }

  /** The area of a category: the band of a column or row, or the middle of a slice. */
  bandOf(index: number): PlotArea | undefined {
    const chart = this.#chart;
    if (!chart?.chartArea || !this.#model) return undefined;
    const { left, right, top, bottom } = chart.chartArea;
    if (this.#model.shape === 'ring') {
      const point = (chart.getDatasetMeta(0).data[index] as ArcElement | undefined)?.tooltipPosition(true);
      return point ? { left: point.x ?? 0, right: point.x ?? 0, top: point.y ?? 0, bottom: point.y ?? 0 } : undefined;
    }
    const scale = chart.scales.category;
    if (!scale || index < scale.min || index > scale.max) return undefined;
    const lies = this.#model.shape === 'rows';
    const half = (lies ? bottom - top : right - left) / (scale.max - scale.min + 1) / 2;
    const middle = scale.getPixelForValue(index);
    return lies
      ? { left, right, top: middle - half, bottom: middle + half }
      : { left: middle - half, right: middle + half, top, bottom };
  }

  /** The y coordinate of a line series at a column; undefined for bars, and outside of the plot. */
  linePoint(seriesIndex: number, index: number): PlotPoint | undefined {
    const chart = this.#chart;
    const series = this.#model?.series[seriesIndex];
    if (!chart || !series || series.form === 'bar') return undefined;
    const x = chart.scales.category?.getPixelForValue(index);
    const y = chart.scales[SCALES[series.axis]]?.getPixelForValue(series.values[index] ?? 0);
    return x === undefined || y === undefined ? undefined : { x, y };
  }

  /** Raises a ring's slice; undefined: none. */
  raise(index: number | undefined): void {
    const chart = this.#chart;
    if (!chart || this.#model?.shape !== 'ring') return;
    const before = chart.getActiveElements()[0]?.index;
    if (before === index) return;
    chart.setActiveElements(index === undefined ? [] : [{ datasetIndex: 0, index }]);
    chart.update('none');
  }

  labelAt({ x, y }: PlotPoint): DrawnLabel | undefined {
    return this.#labels.find(
      ({ left, width, top, height }) => x >= left && x <= left + width && y >= top && y <= top + height,
    );
  }

  /** The strip above a box with its labels, as the anchor of a popover that covers no data. */
  anchorOf(box: MarkerBox): PlotArea | undefined {
    const chart = this.#chart;
    const scale = chart?.scales.category;
    if (!chart?.chartArea || !scale) return undefined;
    const label = this.#labels.find(({ boxes }) => boxes.includes(box));
    if (label)
      return { left: label.left, right: label.left + label.width, top: label.top, bottom: label.top + label.height };
    const { left, right, top } = chart.chartArea;
    const perColumn = (right - left) / (scale.max - scale.min + 1);
    const { min, max } = boxEdges(box, perColumn);
    const pixel = (column: number) => Math.min(right, Math.max(left, left + (column - scale.min + 0.5) * perColumn));
    return { left: pixel(min), right: pixel(max), top: Math.max(0, top - 4), bottom: top };
  }

  /** Draws at twice the screen's size while `use` reads the canvas. */
  enlarged<Result>(use: (canvas: HTMLCanvasElement, size: { width: number; height: number }) => Result): Result {
    const chart = this.#chart;
    if (!chart) return use(this.canvas, { width: this.canvas.width, height: this.canvas.height });
    const { width, height } = chart;
    const ratio = chart.options.devicePixelRatio ?? 1;
    const redraw = (pixels: number) => {
      chart.options.devicePixelRatio = pixels;
      chart.resize(width, height);
      chart.options.devicePixelRatio = pixels;
      chart.update('none');
    };
    redraw(2);
    const result = use(this.canvas, { width, height });
    redraw(ratio);
    return result;
  }

  destroy(): void {
    this.#chart?.destroy();
    this.#chart = undefined;
    this.#model = undefined;
    this.#labels = [];
  }

  #theme(): Theme {
    if (!this.#scene) throw new Error('a plot without a scene draws nothing');
    return this.#scene.theme;
  }

  #denseSource(): DenseSource {
    return {
      model: () => (this.#model && isDense(this.#model, this.#theme()) ? this.#model : undefined),
      theme: () => this.#theme(),
    };
  }

  #labelSource(): LabelSource {
    return {
      boxes: () => (this.#scene?.showLabels ? this.#scene.boxes : []),
      theme: () => this.#theme(),
      colorOf: (box) => this.#theme().color(this.#scene?.colorOf(box) ?? '--chart-muted'),
      moreText: (count) => this.#scene?.moreText(count) ?? '',
      rows: () => this.#rows,
      drawn: (labels, margins) => {
        this.#labels = labels;
        this.#margins = margins;
      },
    };
  }

  /** Decides on the rows before the layout, of which they are part, by the margins of the previous drawing. */
  #labelRoom(chart: Chart): number {
    const model = this.#model;
    const scene = this.#scene;
    if (!model?.time || !scene) return 0;
    const columns = {
      margins: this.#margins,
      min: Math.max(0, scene.window.min),
      max: Math.min(model.length - 1, scene.window.max),
    };
    const labels = placeLabels(chart, this.#labelSource(), MAX_ROWS, columns);
    this.#rows = Math.max(0, ...labels.map(({ row }) => row + 1));
    return this.#rows * ROW_PX;
  }

  #boxes(model: ChartModel, scene: PlotScene): Record<string, AnnotationOptions> {
    if (!model.time) return {};
    const columnPx = () => {
      const scale = this.#chart?.scales.category;
      return scale ? (scale.right - scale.left) / (scale.max - scale.min + 1) : 0;
    };
    return Object.fromEntries(
      scene.boxes.map((box, nth) => [
        `box-${nth}`,
        boxAnnotation(box, scene.theme.color(scene.colorOf(box)), columnPx, this.#onBox),
      ]),
    );
  }
}

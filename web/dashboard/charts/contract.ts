// What the page and its charts ask of each other. The page mounts them with `mountCharts` of index.ts, spreads `chartTexts`
// of texts.ts into its words, imports charts.css, and may take the colours of families and projects from colours.ts.
import type { TimeSpan, View } from '../../../src/dashboard/domain/view.ts';
import type { Clock } from '../../shared/clock.ts';
import type { IconName } from '../../shared/icons.ts';
import type { ChartFormat, ChartLanguage, ChartState, ChartTranslate } from './text/terms.ts';

export type { TimeSpan as TimeRange } from '../../../src/dashboard/domain/view.ts';
export type { ChartFormat, ChartState, ChartTranslate, DateForm } from './text/terms.ts';

/** Where on the screen a marker was pointed at. The popover belongs above the anchor: below it lie the data. */
export interface MarkerHit {
  /** More than one where touching markers of a project were drawn as one box. */
  readonly markerIds: readonly string[];
  readonly anchor: DOMRect;
  /** Clicked, or chosen by Enter: stays until it is dismissed. */
  readonly pinned: boolean;
}

export interface ChartsDeps {
  /** A new language: destroy and mount again. */
  readonly translate: ChartTranslate;
  readonly language: ChartLanguage;
  readonly format: ChartFormat;
  /** The hidden series of each chart by their stable keys (`usage-analytics-chart-visibility`); unknown keys are ignored. */
  readonly visibility: {
    get(chart: string): Iterable<string>;
    set(chart: string, hidden: ReadonlySet<string>): void;
  };
  /**
   * Asks for a view of this stretch of time (both ends included, as `visible` of a ViewQuery), or of all; answered by
   * `update` with `state.zoom` set.
   */
  onZoom(range: TimeSpan | undefined): void;
  /** A marker is pointed at or chosen; undefined: no longer pointed at. A pinned one stays the page's to close. */
  onMarker(hit: MarkerHit | undefined): void;
  /** A range, its end not included, was drawn with Alt held, or in the mode that `markRange` switched on. */
  onMarkRange(range: TimeSpan): void;
  /** A file that was asked for; without it the charts save it themselves. */
  onDownload?(file: Blob, name: string): void;
  /** The page's icons; the charts' chunk holds none. */
  icon(name: IconName): SVGElement;
  reducedMotion(): boolean;
  readonly clock: Clock;
}

/** What stands above the charts of a picture. */
export interface PictureWords {
  readonly title: string;
  /** What it is of. */
  readonly subtitle: string;
}

export interface Charts {
  /** Draws a view; cheap when little has changed. Undefined shows every chart in its loading state. */
  update(view: View | undefined, state: ChartState): void;
  /** The place in a figure's head for controls of the page's own: the marker controls. */
  slot(chart: string): HTMLElement;
  /** The next drag over the overview marks a range instead of zooming; Escape leaves the mode. */
  markRange(): void;
  /** Back to the whole range on every chart. */
  resetZoom(): void;
  /** The chart with title, range and legend at twice its size, drawn for it if nobody has scrolled there yet. */
  picture(chart: string): HTMLCanvasElement;
  /**
   * A PNG of every chart that is on the page and has something to show, as they lie there and at twice their size; draws
   * one a task. Undefined when there is no such chart.
   */
  pagePicture(words: PictureWords): Promise<Blob | undefined>;
  destroy(): void;
}

/**
 * `root` is the element below which the charts stand: an element with `data-charts="<section>"` gets the charts of the
 * section in place of its placeholders; charts of other sections are appended to `root`.
 */
export type MountCharts = (root: HTMLElement, deps: ChartsDeps) => Charts;

// The contract between the page and its charts. The page mounts them with `mountCharts` of index.ts, passes texts of
// texts.ts, and may use the colours of families and projects of colours.ts.
import type { TimeSpan, View } from '../../../src/dashboard/domain/view.ts';
import type { Clock } from '../../shared/clock.ts';
import type { IconName } from '../../shared/icons.ts';
import type { ChartFormat, ChartLanguage, ChartState, ChartTranslate } from './text/terms.ts';

export type { TimeSpan as TimeRange } from '../../../src/dashboard/domain/view.ts';
export type { ChartFormat, ChartState, ChartTranslate, DateForm } from './text/terms.ts';

/** A marker under the pointer. The popover belongs above the anchor: the data are below it. */
export interface MarkerHit {
  /** Several if touching markers of a project are drawn as one box. */
  readonly markerIds: readonly string[];
  readonly anchor: DOMRect;
  /** Clicked or chosen by Enter: stays until dismissed. */
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
   * Requests a view of this span (both ends included, as `visible` of a ViewQuery), or of all; answered by `update`
   * with `state.zoom` set.
   */
  onZoom(range: TimeSpan | undefined): void;
  /** A marker is hovered or chosen; undefined: no longer. The page closes a pinned one. */
  onMarker(hit: MarkerHit | undefined): void;
  /** A range (end exclusive) was drawn with Alt, or in the mode of `markRange`. */
  onMarkRange(range: TimeSpan): void;
  /** Receives a requested file; without it the charts save it themselves. */
  onDownload?(file: Blob, name: string): void;
  /** The page's icons; the charts' chunk holds none. */
  icon(name: IconName): SVGElement;
  reducedMotion(): boolean;
  readonly clock: Clock;
}

/** The text above the charts of a picture. */
export interface PictureWords {
  readonly title: string;
  /** The selection in words. */
  readonly subtitle: string;
}

export interface Charts {
  /** Draws a view; cheap if little has changed. Undefined: all charts show that they are loading. */
  update(view: View | undefined, state: ChartState): void;
  /** The place in a figure's head for the page's own controls. */
  slot(chart: string): HTMLElement;
  /** Makes the next drag over the overview mark a range instead of zooming; Escape cancels. */
  markRange(): void;
  /** Shows the whole range on every chart. */
  resetZoom(): void;
  /** The chart with title, range and legend at twice its size; drawn first if necessary. */
  picture(chart: string): HTMLCanvasElement;
  /**
   * A PNG of all non-empty charts in the page's layout, at twice their size; draws one chart per task. Undefined: none.
   */
  pagePicture(words: PictureWords): Promise<Blob | undefined>;
  destroy(): void;
}

/**
 * Mounts the charts below `root`: an element with `data-charts="<section>"` gets the charts of the section in place of
 * its placeholders; charts of other sections are appended to `root`.
 */
export type MountCharts = (root: HTMLElement, deps: ChartsDeps) => Charts;

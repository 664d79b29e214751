import type { ChartModel } from '../model.ts';
import type { PlotArea, PlotPoint } from '../plot/geometry.ts';
import type { DrawnLabel } from '../plot/label-plugin.ts';
import type { Plot } from '../plot/plot.ts';
import type { Zoom } from '../plot/zoom.ts';
import {
  dragWindow,
  panWindow,
  pinchWindow,
  spanOfWindow,
  type Window,
  widthOf,
  zoomWindow,
} from '../plot/zoom-window.ts';
import type { DataCursor } from './data-cursor.ts';
import type { DragKind, GestureTarget } from './gestures.ts';
import type { FigureHost } from './host.ts';

const KEY_FACTORS: Readonly<Record<string, number>> = { '+': 0.5, '=': 0.5, '-': 2, _: 2 };

export interface GestureParts {
  readonly host: FigureHost;
  readonly plot: Plot;
  readonly cursor: DataCursor;
  readonly zoom: Zoom;
  readonly element: HTMLElement;
  model(): ChartModel | undefined;
}

/** The window at the start of a drag or pinch. */
interface Hold {
  readonly columns: unknown;
  readonly window: Window;
  readonly at: PlotPoint;
  readonly factor: number;
}

/** Turns drags, wheel, pinches and keys over one plot into zooming, panning and marking. */
export class FigureGestures implements GestureTarget {
  readonly #parts: GestureParts;
  #hold: Hold | undefined;
  #label: DrawnLabel | undefined;

  constructor(parts: GestureParts) {
    this.#parts = parts;
  }

  dragKind(event: PointerEvent): DragKind | undefined {
    const model = this.#parts.model();
    if (!model || model.shape === 'ring' || model.length === 0) return undefined;
    if (model.time && (event.altKey || (this.#parts.host.marking.isOn && model.key === 'overview'))) return 'mark';
    this.#hold = undefined;
    return event.shiftKey ? 'pan' : 'zoom';
  }

  hover(point: PlotPoint): void {
    const { plot, cursor, element } = this.#parts;
    const label = plot.labelAt(point);
    if (label !== this.#label) {
      if (label) cursor.pointAtArea(idsOf(label), areaOf(label), false);
      else this.#parts.host.deps.onMarker(undefined);
      element.toggleAttribute('data-over-marker', label !== undefined);
      this.#label = label;
    }
    cursor.hover(point);
  }

  leave(): void {
    const { host, cursor, element } = this.#parts;
    if (this.#label) host.deps.onMarker(undefined);
    this.#label = undefined;
    element.removeAttribute('data-over-marker');
    cursor.leave();
  }

  click(point: PlotPoint): void {
    const label = this.#parts.plot.labelAt(point);
    if (label) this.#parts.cursor.pointAtArea(idsOf(label), areaOf(label), true);
  }

  dragged(kind: DragKind, from: PlotPoint, to: PlotPoint): void {
    const { cursor, zoom, element } = this.#parts;
    this.leave();
    if (kind !== 'pan') {
      cursor.overlay.select(this.#selection(from, to), kind === 'mark');
      return;
    }
    const area = this.#parts.plot.area;
    if (!area) return;
    element.setAttribute('data-panning', '');
    const { window, at } = this.#held(this.#hold ? to : from);
    const way = shareOf(area, at, this.#isLying) - shareOf(area, to, this.#isLying);
    const next = panWindow(window, way * widthOf(window), zoom.limits);
    if (next.min !== zoom.window.min) zoom.move(next);
  }

  dropped(kind: DragKind, from: PlotPoint, to: PlotPoint): void {
    const { plot, zoom, host } = this.#parts;
    this.dragCancelled();
    const [first, last] = [plot.columnAt(from), plot.columnAt(to)];
    if (kind === 'pan') this.announce();
    if (kind === 'pan' || first === undefined || last === undefined) return;
    if (kind === 'zoom') {
      zoom.move(dragWindow(first, last, zoom.limits));
      this.announce();
      return;
    }
    const buckets = this.#parts.model()?.time?.buckets;
    host.marking.end();
    if (!buckets) return;
    const span = spanOfWindow(buckets, { min: Math.min(first, last), max: Math.max(first, last) });
    const { translate, format, onMarkRange } = host.deps;
    host.announce(
      translate('chart.marked', { range: format.dateRange(span.from, span.to, host.state().zone, 'minute') }),
    );
    onMarkRange(span);
  }

  dragCancelled(): void {
    this.#parts.cursor.overlay.select(undefined, false);
    this.#parts.element.removeAttribute('data-panning');
  }

  pinchStarted(at: PlotPoint): void {
    this.#hold = undefined;
    this.#held(at);
    this.#parts.cursor.leave();
  }

  pinched(factor: number, at: PlotPoint): void {
    const { area } = this.#parts.plot;
    const { limits } = this.#parts.zoom;
    if (!area || !this.#canZoom) return;
    const held = this.#held(at, factor);
    const [from, to] = [held.at, at].map((point) => shareOf(area, point, this.#isLying)) as [number, number];
    this.#move(pinchWindow(held.window, factor / held.factor, from, to, limits));
  }

  scale(factor: number, at: PlotPoint): void {
    const { plot, zoom } = this.#parts;
    if (!this.#canZoom) return;
    const { min, max } = zoom.window;
    this.#move(zoomWindow(zoom.window, factor, plot.columnAt(at) ?? (min + max) / 2, zoom.limits));
  }

  #move(next: Window): void {
    const { zoom } = this.#parts;
    if (next.min !== zoom.window.min || next.max !== zoom.window.max) zoom.move(next);
  }

  get #canZoom(): boolean {
    const model = this.#parts.model();
    return model !== undefined && model.shape !== 'ring' && model.length > 0;
  }

  get #isLying(): boolean {
    return this.#parts.model()?.shape === 'rows';
  }

  /**
   * The window held by the gesture: taken at `at` when it begins, and anew when finer columns, with other numbers, have
   * arrived.
   */
  #held(at: PlotPoint, factor = 1): Hold {
    const { columns, window } = this.#parts.zoom;
    if (this.#hold?.columns !== columns) this.#hold = undefined;
    this.#hold ??= { columns, window, at, factor };
    return this.#hold;
  }

  doubleClick(): void {
    this.#parts.zoom.reset();
  }

  /** Handles `+`, `-` and `0`; false for other keys. */
  key(key: string, cursorAt: number | undefined): boolean {
    const { zoom } = this.#parts;
    if (!this.#canZoom) return false;
    const factor = KEY_FACTORS[key];
    if (key === '0') zoom.reset();
    else if (factor !== undefined) {
      const { min, max } = zoom.window;
      zoom.move(zoomWindow(zoom.window, factor, cursorAt ?? (min + max) / 2, zoom.limits));
    } else return false;
    this.announce();
    return true;
  }

  announce(): void {
    const { zoom, host } = this.#parts;
    const model = this.#parts.model();
    if (!model) return;
    const { translate, format } = host.deps;
    if (!zoom.isZoomed) {
      host.announce(translate('chart.zoomOff'));
      return;
    }
    const { min, max } = zoom.window;
    const buckets = model.time?.buckets;
    const span = buckets && spanOfWindow(buckets, zoom.window);
    const range = span
      ? format.dateRange(span.from, span.to, host.state().zone, 'minute')
      : `${model.name(min)} … ${model.name(max)}`;
    host.announce(translate('chart.zoomed', { range }));
  }

  #selection(from: PlotPoint, to: PlotPoint): PlotArea | undefined {
    const { plot } = this.#parts;
    const [a, b] = [plot.columnAt(from), plot.columnAt(to)];
    const bands = [a, b].map((index) => (index === undefined ? undefined : plot.bandOf(index)));
    const [one, other] = bands;
    if (!one || !other) return undefined;
    return {
      left: Math.min(one.left, other.left),
      right: Math.max(one.right, other.right),
      top: Math.min(one.top, other.top),
      bottom: Math.max(one.bottom, other.bottom),
    };
  }
}

/** The position of a point in the plot, 0 to 1; of horizontal plots from top to bottom. */
function shareOf({ left, right, top, bottom }: PlotArea, { x, y }: PlotPoint, isLying: boolean): number {
  return isLying ? (y - top) / (bottom - top) : (x - left) / (right - left);
}

const idsOf = ({ boxes }: DrawnLabel): readonly string[] => boxes.flatMap(({ ids }) => ids);

const areaOf = ({ left, top, width, height }: DrawnLabel): PlotArea => ({
  left,
  top,
  right: left + width,
  bottom: top + height,
});

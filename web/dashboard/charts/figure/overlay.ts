import { h, syncChildren } from '../../../shared/dom.ts';
import type { ChartModel } from '../model.ts';
import type { PlotArea } from '../plot/geometry.ts';
import type { Plot } from '../plot/plot.ts';

/** Band, line and dots at the current column: elements above the canvas, so that hovering redraws nothing. */
export class Overlay {
  readonly element = h('div', { 'aria-hidden': 'true' });
  readonly #band = h('div', { class: 'chart-band' });
  readonly #line = h('div', { class: 'chart-line' });
  readonly #selection = h('div', { class: 'chart-selection' });
  readonly #dots: HTMLElement[] = [];

  /** Shows column `index` of the plot, or nothing. */
  point(plot: Plot, model: ChartModel | undefined, index: number | undefined, chosen: string | undefined): void {
    const band = index === undefined || !model || model.shape === 'ring' ? undefined : plot.bandOf(index);
    if (!band || index === undefined || !model) {
      this.#show([]);
      return;
    }
    const parts: HTMLElement[] = [];
    if (model.time) {
      const middle = (band.left + band.right) / 2;
      if (band.right - band.left >= 4) parts.push(place(this.#band, band));
      parts.push(place(this.#line, { ...band, left: middle - 0.5, right: middle + 0.5 }));
      parts.push(...this.#dotsAt(plot, model, index, chosen));
    } else parts.push(place(this.#band, band));
    this.#show(parts);
  }

  /** Shows the range of a drag. */
  select(area: PlotArea | undefined, isMarking: boolean): void {
    if (!area) {
      this.#selection.remove();
      return;
    }
    this.#selection.toggleAttribute('data-marking', isMarking);
    this.element.append(place(this.#selection, area));
  }

  #dotsAt(plot: Plot, model: ChartModel, index: number, chosen: string | undefined): HTMLElement[] {
    return model.series.flatMap(({ key, color }, nth) => {
      const point = plot.linePoint(nth, index);
      if (!point) return [];
      const dot = this.#dots[nth] ?? h('div', { class: 'chart-dot' });
      this.#dots[nth] = dot;
      dot.style.setProperty('--dot', `var(${color})`);
      dot.style.left = `${point.x}px`;
      dot.style.top = `${point.y}px`;
      dot.toggleAttribute('data-chosen', key === chosen);
      return [dot];
    });
  }

  #show(parts: readonly HTMLElement[]): void {
    const selection = this.#selection.isConnected ? [this.#selection] : [];
    syncChildren(this.element, [...parts, ...selection]);
  }
}

function place(element: HTMLElement, { left, top, right, bottom }: PlotArea): HTMLElement {
  element.style.left = `${left}px`;
  element.style.top = `${top}px`;
  element.style.width = `${Math.max(0, right - left)}px`;
  element.style.height = `${Math.max(0, bottom - top)}px`;
  return element;
}

import type { MarkerView } from '../../../../src/dashboard/domain/view.ts';
import { h } from '../../../shared/dom.ts';
import { swatch } from '../figure/legend.ts';
import type { ChartModel, Series } from '../model.ts';
import { formatUnit } from '../model.ts';
import type { PlotPoint } from '../plot/geometry.ts';
import type { ChartFormat, ChartTranslate } from '../text/terms.ts';
import { stackShare, tipOrder, tipPlace } from './layout.ts';

/** Maximum markers listed; the others are counted. */
const MAX_MARKERS = 3;

export interface TipContent {
  readonly model: ChartModel;
  readonly index: number;
  /** The series that the keyboard chose. */
  readonly chosen: string | undefined;
  readonly markers: readonly MarkerView[];
  readonly markerColor: (project: string) => string;
}

/** The values of one column beside the pointer. Not interactive, and announced by the live region instead. */
export class Tooltip {
  readonly element = h('div', { class: 'chart-tip', 'aria-hidden': 'true', hidden: true });
  readonly #format: ChartFormat;
  readonly #translate: ChartTranslate;
  #shown: string | undefined;
  #room = { width: 0, height: 0 };

  constructor(format: ChartFormat, translate: ChartTranslate) {
    this.#format = format;
    this.#translate = translate;
  }

  show(content: TipContent, point: PlotPoint, body: HTMLElement): void {
    const signature = `${content.model.key} ${content.index} ${content.chosen ?? ''} ${content.model.metric ?? ''}`;
    if (this.#shown !== signature || this.element.hidden) {
      this.element.replaceChildren(...this.#rows(content));
      this.#shown = signature;
      this.element.hidden = false;
    }
    this.#room = { width: body.clientWidth, height: body.clientHeight };
    const size = { width: this.element.offsetWidth, height: this.element.offsetHeight };
    const { x, y } = tipPlace(point, size, this.#room);
    this.element.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
  }

  hide(): void {
    this.element.hidden = true;
    this.#shown = undefined;
  }

  #rows({ model, index, chosen, markers, markerColor }: TipContent): HTMLElement[] {
    const part = model.parts?.[index];
    const rows = tipOrder(model.series, index).map((series) =>
      this.#seriesRow(
        series,
        part?.color ?? series.color,
        stackShare(model.series, series, index),
        index,
        series.key === chosen,
      ),
    );
    const details = model
      .details(index)
      .map(({ label, value }, nth) =>
        h(
          'div',
          { class: `chart-tip-row chart-tip-detail${nth === 0 && rows.length > 0 ? ' chart-tip-first' : ''}` },
          h('dt', { class: 'chart-tip-name' }, label),
          h('dd', { class: 'chart-tip-value' }, value),
        ),
      );
    const title = h('div', { class: 'chart-tip-title' }, model.name(index));
    const list = h('dl', { class: 'chart-tip-rows' }, ...rows, ...details);
    return markers.length > 0 ? [title, list, this.#markers(markers, markerColor)] : [title, list];
  }

  #seriesRow(series: Series, color: string, share: number | undefined, index: number, isChosen: boolean): HTMLElement {
    return h(
      'div',
      { class: 'chart-tip-row', 'data-chosen': isChosen },
      swatch(color, series.form === 'bar' ? undefined : series.form, series.dashed),
      h('dt', { class: 'chart-tip-name' }, series.label),
      h('dd', { class: 'chart-tip-value' }, formatUnit(this.#format, series.unit, series.values[index] ?? 0)),
      h('dd', { class: 'chart-tip-share' }, share === undefined ? '' : this.#format.percent(share)),
    );
  }

  #markers(markers: readonly MarkerView[], colorOf: (project: string) => string): HTMLElement {
    const entries = markers.slice(0, MAX_MARKERS).map(({ marker, isOpen }) => {
      const entry = h(
        'div',
        { class: 'chart-tip-marker' },
        h('b', {}, `${marker.project}${isOpen ? ' *' : ''}`),
        marker.task !== '' && ` · ${marker.task}`,
        marker.note !== '' && h('i', {}, marker.note),
      );
      entry.style.setProperty('--marker', `var(${colorOf(marker.project)})`);
      return entry;
    });
    const more = markers.length - entries.length;
    const rest = more > 0 && h('div', { class: 'soft' }, this.#translate('chart.moreMarkersText', { count: more }));
    return h('div', { class: 'chart-tip-markers' }, ...entries, rest);
  }
}

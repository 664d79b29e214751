import { h } from '../../shared/dom.ts';
import { checkbox, fillSelect, iconButton } from '../controls/controls.ts';
import type { MarkerDisplay } from '../data/settings.ts';
import type { Ui } from '../shell/ui.ts';

export interface MarkerControlsParts {
  onChange(change: Partial<MarkerDisplay>): void;
  /** Switches to marking a range; without it there is no such button. */
  onMarkRange?: () => void;
  onNew?: () => void;
}

/** The choice of markers on a chart: shown or not, labels, project. */
export class MarkerControls {
  readonly element: HTMLElement;
  readonly #t: Ui['t'];
  readonly #show: HTMLLabelElement;
  readonly #labels: HTMLLabelElement;
  readonly #project: HTMLSelectElement;

  constructor({ t }: Ui, chart: string, parts: MarkerControlsParts) {
    this.#t = t;
    this.#show = checkbox(t('display.markers'), true, (showMarkers) => parts.onChange({ showMarkers }));
    this.#labels = checkbox(t('display.labels'), true, (showLabels) => parts.onChange({ showLabels }));
    this.#project = h('select', { class: 'small', 'aria-label': `${t('display.project')}: ${chart}` });
    this.#project.addEventListener('change', () => parts.onChange({ projectFilter: this.#project.value }));
    const { onMarkRange, onNew } = parts;
    this.element = h(
      'div',
      { class: 'marker-controls' },
      this.#show,
      this.#labels,
      this.#project,
      onMarkRange && h('button', { type: 'button', class: 'small', onclick: () => onMarkRange() }, t('mark-range')),
      onNew && iconButton('flag', t('set-marker'), () => onNew(), { text: true, class: 'small' }),
    );
  }

  show(display: MarkerDisplay, projects: readonly string[]): void {
    const set = (label: HTMLLabelElement, checked: boolean, disabled = false) => {
      const box = label.querySelector('input');
      if (!box) return;
      box.checked = checked;
      box.disabled = disabled;
    };
    set(this.#show, display.showMarkers);
    set(this.#labels, display.showLabels, !display.showMarkers);
    this.#project.disabled = !display.showMarkers;
    const named = projects.filter((project) => project !== '').map((value) => ({ value, label: value }));
    fillSelect(
      this.#project,
      [{ value: 'all', label: this.#t('display.all-projects') }, ...named],
      display.projectFilter,
    );
  }
}

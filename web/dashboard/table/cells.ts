import type { EventRow } from '../../../src/dashboard/domain/view.ts';
import type { Child } from '../../shared/dom.ts';
import { h } from '../../shared/dom.ts';
import type { Ui } from '../shell/ui.ts';

/** The colours of models and projects, as the charts draw them. */
export interface Palette {
  model(name: string): string;
  project(name: string): string;
}

export function modelCell(name: string, palette: Palette): Child {
  const dot = h('span', { class: 'dot', 'aria-hidden': 'true' });
  dot.style.background = palette.model(name);
  return h('span', { class: 'with-dot' }, dot, name);
}

export function projectCell(row: EventRow, palette: Palette): Child {
  if (row.project === undefined) return h('span', { class: 'soft' }, '–');
  const dot = h('span', { class: 'dot square', 'aria-hidden': 'true' });
  dot.style.background = palette.project(row.project);
  return h('span', { class: 'with-dot', title: row.task || undefined }, dot, row.project || '–');
}

/** The source's text for an included event or one without a price, else US dollars. */
export function costText(row: EventRow, basis: string, { format }: Ui): Child {
  if (row.isEstimated && !row.isChargeable) return row.costDisplay;
  if (basis !== 'reported') return format.money(row.basisCents);
  return row.isIncluded ? h('span', { class: 'pill' }, row.costDisplay) : format.money(row.costCents);
}

/** Marks a row whose marker the popover shows. */
export function dressMarkerRow(
  element: HTMLTableRowElement,
  markerId: string | undefined,
  color: string | undefined,
): void {
  if (markerId === undefined) return;
  element.dataset.markerId = markerId;
  element.classList.add('marked');
  element.tabIndex = 0;
  if (color) element.style.setProperty('--stripe', color);
}

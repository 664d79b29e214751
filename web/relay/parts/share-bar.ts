import { h } from '../../shared/dom.ts';

/** A part of a bar: `index` selects the colour, null is without one. */
export interface BarPart {
  readonly index: number | null;
  readonly share: number;
}

const COLOURS = 8;

/** The colour of a variation, as a class. */
export const toneOf = (index: number | null): string => (index === null ? 'tone-none' : `tone-${index % COLOURS}`);

/** A bar of shares; what it says is also written beside it. */
export function shareBar(parts: readonly BarPart[]): HTMLElement {
  const total = parts.reduce((sum, { share }) => sum + share, 0);
  const bar = h('span', { class: 'share-bar', 'aria-hidden': 'true' });
  for (const { index, share } of parts) {
    const part = h('span', { class: toneOf(index) });
    part.style.flexGrow = String(total === 0 ? 0 : share / total);
    bar.append(part);
  }
  return bar;
}

export const swatch = (index: number | null): HTMLElement =>
  h('span', { class: `swatch ${toneOf(index)}`, 'aria-hidden': 'true' });

import type { Tone } from '../alert/severity.ts';
import { badgeSvg } from './badge.ts';

let original: string | undefined;

/** Shows the count in the tab's icon; the page's own icon without alerts. */
export function showFavicon(count: number, tone: Tone): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (!link) return;
  original ??= link.href;
  const href = count === 0 ? original : `data:image/svg+xml,${encodeURIComponent(badgeSvg(count, tone))}`;
  if (link.href !== href) link.href = href;
}

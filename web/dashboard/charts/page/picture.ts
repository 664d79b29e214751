import type { PictureWords } from '../contract.ts';
import type { Theme } from '../theme.ts';
import { layOutPage, wrapText } from './layout.ts';

/** A chart's picture at twice its size, and its figure's place on the page. */
export interface PagePart {
  readonly canvas: HTMLCanvasElement;
  readonly left: number;
  readonly top: number;
}

const SCALE = 2;
const MARGIN = 24;
const GAP = 16;
const TITLE_PX = 34;
const LINE_PX = 18;
/** Browsers' limit of a canvas' side. */
const MAX_SIDE = 16_000;

/** All charts as one picture below title and subtitle, at twice the screen's resolution if it fits. */
export function composePage(parts: readonly PagePart[], words: PictureWords, theme: Theme): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  const pen = canvas.getContext('2d');
  if (!pen) return canvas;
  const sizes = parts.map(({ canvas, left, top }) => {
    return { width: canvas.width / SCALE, height: canvas.height / SCALE, left, top };
  });
  const layout = layOutPage(sizes, GAP);
  const font = `400 13px ${theme.fontFamily}`;
  pen.font = font;
  const lines = wrapText(words.subtitle, layout.width, (text) => pen.measureText(text).width);
  const head = MARGIN + TITLE_PX + lines.length * LINE_PX + 8;
  const [width, height] = [layout.width + 2 * MARGIN, head + layout.height + MARGIN];
  const scale = Math.min(SCALE, MAX_SIDE / Math.max(width, height));
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  pen.scale(scale, scale);
  pen.fillStyle = theme.color('--ground');
  pen.fillRect(0, 0, width, height);
  pen.fillStyle = theme.color('--chart-ink');
  pen.font = `600 22px ${theme.fontFamily}`;
  pen.fillText(words.title, MARGIN, MARGIN + 20);
  pen.fillStyle = theme.color('--chart-soft');
  pen.font = font;
  for (const [row, line] of lines.entries()) pen.fillText(line, MARGIN, MARGIN + TITLE_PX + 12 + row * LINE_PX);
  pen.translate(MARGIN, head);
  for (const [index, { x, y, width, height }] of layout.places.entries()) {
    const picture = parts[index]?.canvas;
    const size = sizes[index];
    if (!picture || !size) continue;
    pen.fillStyle = theme.color('--chart-surface');
    pen.fillRect(x, y, width, height);
    pen.drawImage(picture, x, y, size.width, size.height);
    pen.strokeStyle = theme.color('--chart-axis');
    pen.strokeRect(x, y, width, height);
  }
  return canvas;
}

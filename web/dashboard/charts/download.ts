import type { ChartModel, Series } from './model.ts';
import { legendOf } from './model.ts';
import type { Theme } from './theme.ts';

export interface PictureParts {
  readonly model: ChartModel;
  readonly theme: Theme;
  /** The plot at twice its size. */
  readonly plot: HTMLCanvasElement;
  /** Of the plot on the screen. */
  readonly width: number;
  readonly height: number;
  /** What the picture is of, below its title. */
  readonly subtitle: string;
}

const SCALE = 2;
const MARGIN = 20;
const HEAD_PX = 62;
const AXES_PX = 22;
const LEGEND_ROW_PX = 22;

/** The chart with title, range, axes and legend as one canvas at twice the screen's resolution. */
export function drawPicture(parts: PictureParts): HTMLCanvasElement {
  const { model, theme, plot, width, height } = parts;
  const canvas = document.createElement('canvas');
  const pen = canvas.getContext('2d');
  if (!pen) return canvas;
  const font = (weight: number, size: number) => `${weight} ${size}px ${theme.fontFamily}`;
  pen.font = font(400, 12);
  const legend = layOutLegend(model, width, (text) => pen.measureText(text).width);
  const axesRoom = model.shape === 'ring' ? 0 : AXES_PX;
  const total = HEAD_PX + axesRoom + height + 10 + legend.rows * LEGEND_ROW_PX + MARGIN;
  canvas.width = (width + 2 * MARGIN) * SCALE;
  canvas.height = total * SCALE;
  pen.scale(SCALE, SCALE);
  pen.fillStyle = theme.color('--chart-surface');
  pen.fillRect(0, 0, width + 2 * MARGIN, total);
  pen.textBaseline = 'alphabetic';
  pen.fillStyle = theme.color('--chart-ink');
  pen.font = font(600, 17);
  pen.fillText(model.title, MARGIN, 32);
  pen.fillStyle = theme.color('--chart-soft');
  pen.font = font(400, 12);
  pen.fillText([parts.subtitle, model.time?.note].filter(Boolean).join(' · '), MARGIN, 50);
  if (model.shape !== 'ring') drawAxes(pen, model, width);
  pen.drawImage(plot, MARGIN, HEAD_PX + axesRoom, width, height);
  for (const entry of legend.entries) {
    const { label, x, row } = entry;
    const y = HEAD_PX + axesRoom + height + 10 + row * LEGEND_ROW_PX;
    drawSwatch(pen, entry, MARGIN + x, y + 4, theme);
    pen.fillStyle = theme.color('--chart-ink');
    pen.fillText(label, MARGIN + x + 16, y + 13);
  }
  return canvas;
}

interface Swatch {
  readonly color: string;
  readonly form: Series['form'] | undefined;
  readonly dashed: boolean | undefined;
}

/** A square for areas, a line for lines. */
function drawSwatch(
  pen: CanvasRenderingContext2D,
  { color, form, dashed }: Swatch,
  x: number,
  y: number,
  theme: Theme,
) {
  if (form === undefined || form === 'bar') {
    pen.fillStyle = theme.color(color);
    pen.fillRect(x, y, 10, 10);
    return;
  }
  pen.strokeStyle = theme.color(color);
  pen.lineWidth = 2;
  pen.setLineDash(dashed ? [4, 2] : []);
  pen.beginPath();
  pen.moveTo(x - 2, y + 5);
  pen.lineTo(x + 12, y + 5);
  pen.stroke();
  pen.setLineDash([]);
}

function drawAxes(pen: CanvasRenderingContext2D, { axes }: ChartModel, width: number): void {
  pen.fillText(axes.first, MARGIN + 4, HEAD_PX + 12);
  if (!axes.second) return;
  pen.textAlign = 'right';
  pen.fillText(axes.second, MARGIN + width - 4, HEAD_PX + 12);
  pen.textAlign = 'left';
}

function layOutLegend(model: ChartModel, width: number, measure: (text: string) => number) {
  let x = 4;
  let row = 0;
  const entries = legendOf(model).map(({ label, color, form, dashed }) => {
    const needed = measure(label) + 34;
    if (x > 4 && x + needed > width) {
      x = 4;
      row++;
    }
    const entry = { label, color, form, dashed, x, row };
    x += needed;
    return entry;
  });
  return { entries, rows: entries.length > 0 ? row + 1 : 0 };
}

export function blobOf(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the browser made no picture'))), 'image/png');
  });
}

/** Lets the browser save a file. */
export function saveFile(file: Blob, name: string, later: (action: () => void) => void): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The URL must exist until the browser has begun to read.
  later(() => URL.revokeObjectURL(link.href));
}

import type { Chart, Plugin } from 'chart.js';
import type { MarkerBox, PlacedLabel } from '../marker-boxes.ts';
import { layoutLabels } from '../marker-boxes.ts';
import type { Theme } from '../theme.ts';

export const ROW_PX = 21;
const CHIP_PX = 18;
const CHIP_PADDING = 7;
const STRIPE_PX = 3;
export const MAX_ROWS = 3;

export interface DrawnLabel extends PlacedLabel {
  readonly text: string;
  readonly top: number;
  readonly height: number;
  readonly boxes: readonly MarkerBox[];
}

/** The room left and right of the plot. */
export interface Margins {
  readonly left: number;
  readonly right: number;
}

export interface LabelSource {
  boxes(): readonly MarkerBox[];
  theme(): Theme;
  colorOf(box: MarkerBox): string;
  moreText(count: number): string;
  /** Number of rows above the plot. */
  rows(): number;
  /** Receives the drawn labels and the plot's area, for hit tests. */
  drawn(labels: readonly DrawnLabel[], margins: Margins): void;
}

const labelFont = (theme: Theme) => `500 11px ${theme.fontFamily}`;

/** The labels' places in `rows` rows, for a plot with these margins and the columns from `min` to `max`. */
export function placeLabels(
  chart: Chart,
  source: LabelSource,
  rows: number,
  space: LabelColumns,
): readonly DrawnLabel[] {
  const boxes = source.boxes().filter(({ label }) => label !== '');
  if (boxes.length === 0) return [];
  const { ctx } = chart;
  ctx.save();
  ctx.font = labelFont(source.theme());
  const widthOf = (text: string) => Math.ceil(ctx.measureText(text).width) + 2 * CHIP_PADDING + STRIPE_PX;
  const left = space.margins.left;
  const right = chart.width - space.margins.right;
  const perColumn = (right - left) / Math.max(1, space.max - space.min + 1);
  const wishes = boxes.map((box) => ({
    left: Math.max(left, left + (box.first - space.min) * perColumn),
    width: widthOf(box.label),
  }));
  const placed = layoutLabels(wishes, {
    left,
    right,
    rows,
    gap: 4,
    moreWidth: widthOf(source.moreText(boxes.length)),
  });
  ctx.restore();
  const bottom = chart.chartArea?.top ?? 0;
  return placed.map((label) => {
    const stands = label.stands.flatMap((index) => boxes[index] ?? []);
    const text = label.more > 0 ? source.moreText(label.more) : (boxes[label.index]?.label ?? '');
    return { ...label, text, boxes: stands, top: bottom - (label.row + 1) * ROW_PX, height: CHIP_PX };
  });
}

export interface LabelColumns {
  readonly margins: Margins;
  readonly min: number;
  readonly max: number;
}

/** The columns of a laid out chart. */
function columnsOf(chart: Chart): LabelColumns {
  const { chartArea, scales, width } = chart;
  const margins = { left: chartArea.left, right: width - chartArea.right };
  return { margins, min: scales.category?.min ?? 0, max: scales.category?.max ?? 0 };
}

/** Draws markers' labels as chips in rows above the plot. */
export function markerLabels(source: LabelSource): Plugin {
  return {
    id: 'marker-labels',
    afterDatasetsDraw(chart) {
      const columns = columnsOf(chart);
      const labels = placeLabels(chart, source, source.rows(), columns);
      source.drawn(labels, columns.margins);
      if (labels.length === 0) return;
      const { ctx, chartArea } = chart;
      const theme = source.theme();
      ctx.save();
      ctx.font = labelFont(theme);
      ctx.textBaseline = 'middle';
      for (const label of labels) drawChip(ctx, label, source, chartArea.top);
      ctx.restore();
    },
  };
}

function drawChip(ctx: CanvasRenderingContext2D, label: DrawnLabel, source: LabelSource, ground: number): void {
  const theme = source.theme();
  const [box] = label.boxes;
  const color = box && label.more === 0 ? source.colorOf(box) : theme.color('--chart-soft');
  const { left, top, width, height } = label;
  ctx.fillStyle = color;
  ctx.globalAlpha = 0.45;
  ctx.fillRect(left, top + height, 1, Math.max(0, ground - top - height));
  ctx.globalAlpha = 1;
  ctx.fillStyle = theme.color('--chart-surface');
  ctx.beginPath();
  ctx.roundRect(left, top, width, height, 4);
  ctx.fill();
  ctx.globalAlpha = 0.14;
  ctx.fillStyle = color;
  ctx.fill();
  ctx.globalAlpha = 1;
  ctx.beginPath();
  ctx.roundRect(left, top, STRIPE_PX, height, [4, 0, 0, 4]);
  ctx.fill();
  ctx.fillStyle = theme.color('--chart-ink');
  ctx.fillText(label.text, left + STRIPE_PX + CHIP_PADDING - 1, top + height / 2 + 0.5);
}

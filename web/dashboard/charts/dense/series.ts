import type { Chart, Plugin, Scale } from 'chart.js';
import type { ChartModel, Series } from '../model.ts';
import { areaFill, COLUMN_SHARE, dashOf, lineWidth, MAX_COLUMN_PX, SCALES } from '../plot/data.ts';
import type { Theme } from '../theme.ts';
import { stackBars } from './columns.ts';

export interface DenseSource {
  /** Undefined where Chart.js draws the series. */
  model(): ChartModel | undefined;
  theme(): Theme;
}

/** Draws stacked bars and lines over the columns of a chart with known axes. */
export function denseSeries(source: DenseSource): Plugin {
  return {
    id: 'dense-series',
    // The boxes of markers were drawn before; levels and labels come after.
    beforeDatasetsDraw(chart) {
      const model = source.model();
      const columns = columnsOf(chart);
      if (!model || !columns) return;
      const theme = source.theme();
      drawBars(chart, model, columns, theme);
      // As in Chart.js the first is on top.
      const lines = model.series.filter(({ form }) => form !== 'bar').reverse();
      for (const series of lines) drawLine(chart, series, columns, theme);
    },
  };
}

interface Columns {
  readonly min: number;
  readonly max: number;
  /** The middle of the first column, and the distance between columns. */
  readonly left: number;
  readonly step: number;
}

function columnsOf({ scales: { category }, chartArea }: Chart): Columns | undefined {
  if (!category || !chartArea) return undefined;
  const { min, max } = category;
  const step = (chartArea.right - chartArea.left) / (max - min + 1);
  return { min, max, left: chartArea.left + step / 2, step };
}

const axisOf = ({ scales }: Chart, { axis }: Series): Scale | undefined => scales[SCALES[axis]];

function drawBars(chart: Chart, model: ChartModel, { min, max, left, step }: Columns, theme: Theme): void {
  const { ctx } = chart;
  const width = Math.min(MAX_COLUMN_PX, step * COLUMN_SHARE);
  const sums = { first: new Float64Array(max - min + 1), row: new Float64Array(max - min + 1) };
  for (const series of model.series) {
    const scale = axisOf(chart, series);
    if (series.form !== 'bar' || !scale || series.axis === 'second') continue;
    ctx.fillStyle = theme.color(series.color);
    stackBars(series.values, { min, max }, sums[series.axis], (index, from, to) => {
      const bottom = scale.getPixelForValue(from);
      const top = scale.getPixelForValue(to);
      // Not one path: software rendering fills single rectangles many times faster.
      ctx.fillRect(left + (index - min) * step - width / 2, top, width, bottom - top);
    });
  }
}

function drawLine(chart: Chart, series: Series, { min, max, left, step }: Columns, theme: Theme): void {
  const { ctx, chartArea } = chart;
  const scale = axisOf(chart, series);
  if (!scale) return;
  const color = theme.color(series.color);
  const width = lineWidth(series, step);
  ctx.save();
  ctx.beginPath();
  // Lines may extend beyond the area by half of their width.
  const beyond = width / 2;
  ctx.rect(
    chartArea.left - beyond,
    chartArea.top - beyond,
    chartArea.right - chartArea.left + width,
    chartArea.bottom - chartArea.top + width,
  );
  ctx.clip();
  // One column more on each side, so that lines continue to the edge.
  const first = Math.max(0, min - 1);
  const last = Math.min(series.values.length - 1, max + 1);
  const line = new Path2D();
  for (let index = first; index <= last; index++)
    line.lineTo(left + (index - min) * step, scale.getPixelForValue(series.values[index] ?? 0));
  if (series.form === 'area') {
    const area = new Path2D(line);
    const ground = scale.getPixelForValue(0);
    area.lineTo(left + (last - min) * step, ground);
    area.lineTo(left + (first - min) * step, ground);
    ctx.fillStyle = areaFill({ chart }, color);
    ctx.fill(area);
  }
  ctx.strokeStyle = color;
  ctx.lineWidth = width;
  ctx.lineJoin = 'round';
  ctx.setLineDash(dashOf(series, theme));
  ctx.stroke(line);
  ctx.restore();
}

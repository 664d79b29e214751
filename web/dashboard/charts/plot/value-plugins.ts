import type { BarElement, Plugin } from 'chart.js';
import type { ChartModel } from '../model.ts';
import type { ChartFormat } from '../text/terms.ts';
import type { Theme } from '../theme.ts';

export interface ShownPlot {
  model(): ChartModel | undefined;
  theme(): Theme;
  readonly format: ChartFormat;
}

/** Writes value and caption into the middle of a ring. */
export function ringCentre({ model, theme }: ShownPlot): Plugin {
  return {
    id: 'ring-centre',
    afterDatasetsDraw({ ctx, chartArea }) {
      const shown = model();
      if (!shown?.centre || shown.empty !== undefined || !chartArea) return;
      const { value, caption } = shown.centre;
      const x = (chartArea.left + chartArea.right) / 2;
      const y = (chartArea.top + chartArea.bottom) / 2;
      const room = Math.min(chartArea.width, chartArea.height) * 0.57;
      const size = Math.min(28, Math.max(15, room / 4.4));
      const { color, fontFamily } = theme();
      ctx.save();
      ctx.textAlign = 'center';
      ctx.fillStyle = color('--chart-ink');
      ctx.font = `600 ${size}px ${fontFamily}`;
      ctx.fillText(value, x, y + size * 0.18, room);
      ctx.fillStyle = color('--chart-soft');
      ctx.font = `400 12px ${fontFamily}`;
      ctx.fillText(caption, x, y + size * 0.18 + 19, room);
      ctx.restore();
    },
  };
}

/** Writes the value at the end of each horizontal bar. */
export function rowValues({ model, theme, format }: ShownPlot): Plugin {
  return {
    id: 'row-values',
    afterDatasetsDraw(chart) {
      const shown = model();
      const series = shown?.series[0];
      if (shown?.shape !== 'rows' || !series) return;
      const { ctx, chartArea } = chart;
      const { color, fontFamily } = theme();
      ctx.save();
      ctx.textBaseline = 'middle';
      ctx.fillStyle = color('--chart-soft');
      ctx.font = `400 11.5px ${fontFamily}`;
      for (const [index, bar] of (chart.getDatasetMeta(0).data as BarElement[]).entries()) {
        if (bar.y < chartArea.top || bar.y > chartArea.bottom) continue;
        const value = series.values[index] ?? 0;
        ctx.fillText(series.unit === 'usd' ? format.usd(value) : format.compact(value), bar.x + 6, bar.y + 0.5);
      }
      ctx.restore();
    },
  };
}

/** Names the row below the others. */
export function rowTitle({ model, theme }: ShownPlot): Plugin {
  return {
    id: 'row-title',
    afterDatasetsDraw({ ctx, chartArea, scales: { row } }) {
      const title = model()?.axes.row;
      if (!row || title === undefined) return;
      const { color, fontFamily } = theme();
      ctx.save();
      ctx.fillStyle = color('--chart-soft');
      ctx.font = `400 11.5px ${fontFamily}`;
      ctx.strokeStyle = color('--chart-surface');
      ctx.lineWidth = 4;
      ctx.lineJoin = 'round';
      ctx.strokeText(title, chartArea.left + 6, row.top + 14);
      ctx.fillText(title, chartArea.left + 6, row.top + 14);
      ctx.restore();
    },
  };
}

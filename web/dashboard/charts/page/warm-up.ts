import { Chart } from 'chart.js';
import { h } from '../../../shared/dom.ts';
import { nextTask } from '../../../shared/task.ts';
import type { ChartModel, Series } from '../model.ts';
import { plotDatasets } from '../plot/data.ts';
import { plotOptions } from '../plot/options.ts';
import type { ChartFormat } from '../text/terms.ts';
import type { Theme } from '../theme.ts';

const COLUMNS = 8;
const SIZE = { width: 480, height: 240 };

/**
 * Draws a chart on an invisible canvas while the page waits for its data: compiling the library on first use takes
 * longer than drawing the first chart.
 */
export async function warmUp(theme: Theme, format: ChartFormat): Promise<void> {
  await nextTask();
  // Reading colours lays out the page: a task of its own.
  document.body.getBoundingClientRect();
  await nextTask();
  drawUnseen(sampleModel(format), theme, format);
}

function drawUnseen(model: ChartModel, theme: Theme, format: ChartFormat): void {
  const window = { min: 0, max: COLUMNS - 1 };
  const options = plotOptions(model, { theme, format, window, labelRoom: () => 0 });
  const chart = new Chart(h('canvas', SIZE), {
    type: 'bar',
    data: { labels: Array.from({ length: COLUMNS }, (_, index) => index), datasets: plotDatasets(model, theme) },
    // A canvas outside of the document has no size to respond to.
    options: { ...options, responsive: false },
  } as never);
  chart.destroy();
}

function sampleModel(format: ChartFormat): ChartModel {
  const values = Float64Array.from({ length: COLUMNS }, (_, index) => index * 1000);
  const tokens = { label: '', values, color: '--chart-total', unit: 'tokens', axis: 'first' } as const;
  const series: readonly Series[] = [
    { ...tokens, key: 'input', form: 'bar', stacked: true },
    { ...tokens, key: 'total', form: 'line', dashed: true },
    { ...tokens, key: 'cost', form: 'area', color: '--chart-cost', unit: 'usd', axis: 'second' },
  ];
  const text = (index: number) => format.date(index * 86_400_000, 'UTC', 'dayOfMonth');
  return {
    key: 'overview',
    title: '',
    shape: 'columns',
    length: COLUMNS,
    head: '',
    name: text,
    tick: text,
    series,
    details: () => [],
    axes: { first: '', second: '' },
    summary: '',
  };
}

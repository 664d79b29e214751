import type { AnnotationOptions } from 'chartjs-plugin-annotation';
import type { MarkerBox } from './marker-boxes.ts';
import { boxEdges } from './marker-boxes.ts';
import type { ChartModel } from './model.ts';
import type { Theme } from './theme.ts';
import { withAlpha } from './theme.ts';

/** A marker's box behind the data. `columnPx` returns a column's width once the chart is laid out. */
export function boxAnnotation(
  box: MarkerBox,
  color: string,
  columnPx: () => number,
  onBox: (box: MarkerBox | undefined, isClick: boolean) => void,
): AnnotationOptions {
  // Merged boxes are many, and drawn paler.
  const isCrowd = box.label === '';
  return {
    type: 'box',
    xScaleID: 'category',
    // No scale: the height of the whole plot, also with a row of its own.
    yScaleID: 'none',
    adjustScaleRange: false,
    xMin: () => boxEdges(box, columnPx()).min,
    xMax: () => boxEdges(box, columnPx()).max,
    drawTime: 'beforeDatasetsDraw',
    backgroundColor: withAlpha(color, isCrowd ? 0.08 : 0.14),
    borderColor: withAlpha(color, isCrowd ? 0.35 : 0.75),
    borderWidth: isCrowd ? 1 : 1.5,
    borderDash: box.isOpen ? [5, 4] : [],
    enter: () => onBox(box, false),
    leave: () => onBox(undefined, false),
    click: () => onBox(box, true),
  };
}

/** A level across the plot with its name at the start. */
export function levelAnnotation({ level }: ChartModel, theme: Theme): Record<string, AnnotationOptions> {
  if (!level) return {};
  const color = theme.color('--chart-danger');
  return {
    level: {
      type: 'line',
      yScaleID: 'value',
      yMin: level.value,
      yMax: level.value,
      borderColor: color,
      borderWidth: 1.5,
      borderDash: [2, 3],
      label: {
        display: true,
        content: level.label,
        position: 'start',
        backgroundColor: theme.color('--chart-surface'),
        color,
        padding: { x: 6, y: 2 },
        font: { family: theme.fontFamily, size: 11, weight: 500 },
      },
    },
  };
}

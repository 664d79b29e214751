import type { Series } from '../model.ts';
import type { PlotPoint } from '../plot/geometry.ts';

const GAP_PX = 12;

/** The order of a tooltip's rows: by value, money after tokens, totals after their parts. */
export function tipOrder(series: readonly Series[], index: number): readonly Series[] {
  const rank = ({ unit, key }: Series) => (unit === 'usd' ? 2 : key === 'total' ? 1 : 0);
  return [...series].sort((a, b) => rank(a) - rank(b) || (b.values[index] ?? 0) - (a.values[index] ?? 0));
}

/** A stacked series' share of its stack; undefined for all others, and where the stack is empty. */
export function stackShare(series: readonly Series[], one: Series, index: number): number | undefined {
  if (!one.stacked) return undefined;
  const whole = series.reduce((sum, { stacked, values }) => (stacked ? sum + (values[index] ?? 0) : sum), 0);
  return whole > 0 ? (one.values[index] ?? 0) / whole : undefined;
}

/** The place of a tooltip: beside the point, on the other side if it would leave the chart. */
export function tipPlace(
  point: PlotPoint,
  size: { width: number; height: number },
  room: { width: number; height: number },
): PlotPoint {
  const right = point.x + GAP_PX;
  const fits = right + size.width <= room.width;
  const x = fits ? right : Math.max(0, point.x - GAP_PX - size.width);
  const y = Math.max(0, Math.min(point.y + GAP_PX, room.height - size.height));
  return { x, y };
}

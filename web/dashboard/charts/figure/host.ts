import type { MarkerView } from '../../../../src/dashboard/domain/view.ts';
import type { ChartsDeps } from '../contract.ts';
import type { ModelContext } from '../model.ts';
import type { ChartState } from '../text/terms.ts';
import type { Theme } from '../theme.ts';

/** What all figures share. */
export interface FigureHost {
  readonly deps: ChartsDeps;
  readonly context: ModelContext;
  state(): ChartState;
  theme(): Theme;
  /** The colour of a project, as a CSS custom property. */
  projectColour(project: string): string;
  /** Announces a text to screen readers. */
  announce(text: string): void;
  /** The column under the cursor in one chart over time, for the others. */
  cursorMoved(chart: string, index: number | undefined): void;
  chooseMetric(chart: string, metric: string): void;
  /** Draws the chart in the next frame. */
  repaint(chart: string): void;
  /** The selection in words, for pictures. */
  rangeText(): string;
  /** The mode in which the next drag marks a range. */
  readonly marking: {
    readonly isOn: boolean;
    /** False if it was off. */
    end(): boolean;
  };
}

/** The markers over a column, the innermost first. */
export function markersAt(markers: readonly MarkerView[], index: number): readonly MarkerView[] {
  return markers
    .filter(({ place }) => place !== undefined && place.first <= index && index <= place.last)
    .sort((a, b) => b.from - a.from);
}

import type { Chart } from '../model.ts';
import { markerByCategory, markerByProject } from './marker-charts.ts';
import { modelFamily, topCost, topTokens } from './model-charts.ts';
import { byHour, byWeekday } from './rhythm-charts.ts';
import { cumulative, overview } from './time-charts.ts';
import { cacheEfficiency, inputOutput, maxMode, tokenTypes } from './token-charts.ts';

/** The charts in the order in which they stand in their sections and are drawn. */
export const CHARTS: readonly Chart[] = [
  overview,
  cumulative,
  topCost,
  topTokens,
  modelFamily,
  tokenTypes,
  inputOutput,
  cacheEfficiency,
  byHour,
  byWeekday,
  maxMode,
  markerByProject,
  markerByCategory,
];

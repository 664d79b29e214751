import type { View } from '../../../../src/dashboard/domain/view.ts';
import type { ChartModel, ModelContext } from '../model.ts';
import type { ChartKey } from '../text/terms.ts';
import { markerByCategoryModel, markerByProjectModel } from './marker-charts.ts';
import { modelFamilyModel, topCostModel, topTokensModel } from './model-charts.ts';
import { byHourModel, byWeekdayModel } from './rhythm-charts.ts';
import { cumulativeModel, overviewModel } from './time-charts.ts';
import { cacheEfficiencyModel, inputOutputModel, maxModeModel, tokenTypesModel } from './token-charts.ts';

/** What each chart shows of a view. */
export const chartModels: Readonly<Record<ChartKey, (view: View, context: ModelContext) => ChartModel>> = {
  overview: overviewModel,
  cumulative: cumulativeModel,
  topCost: topCostModel,
  topTokens: topTokensModel,
  tokenTypes: tokenTypesModel,
  modelFamily: modelFamilyModel,
  byHour: byHourModel,
  byWeekday: byWeekdayModel,
  inputOutput: inputOutputModel,
  cacheEfficiency: cacheEfficiencyModel,
  maxMode: maxModeModel,
  markerByProject: markerByProjectModel,
  markerByCategory: markerByCategoryModel,
};

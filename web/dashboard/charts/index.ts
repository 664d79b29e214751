import { ChartBoard } from './board.ts';
import type { MountCharts } from './contract.ts';

export const mountCharts: MountCharts = (root, deps) => new ChartBoard(root, deps);

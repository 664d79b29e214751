import { ChartBoard } from './board.ts';
import type { MountCharts } from './contract.ts';

/** Puts the charts below `root`; see contract.ts for where each goes. */
export const mountCharts: MountCharts = (root, deps) => new ChartBoard(root, deps);

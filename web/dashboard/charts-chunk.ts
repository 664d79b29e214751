// The charts and their library, a file of its own: the page is there before they are.
export { chartFormat } from './charts/format.ts';
export { mountCharts } from './charts/index.ts';
export { chartTexts } from './charts/texts.ts';

// The charts and their library, a file of its own: the page is there before they are.

export { mountCharts } from './charts/index.ts';
export { chartFormat } from './charts/text/format.ts';
export { chartTexts } from './charts/text/texts.ts';

// The charts and their library as a file of their own, loaded after the page.

export { mountCharts } from './charts/index.ts';
export { chartFormat } from './charts/text/format.ts';
export { chartTexts } from './charts/text/texts.ts';

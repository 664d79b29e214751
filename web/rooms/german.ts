// Loaded by the page of readers who have chosen German, see text/text.ts.
export { german } from './text/de.ts';
export { germanResult } from './text/result-german.ts';
export { CARD_WORDS, COMMANDS } from './text/server-german.ts';

import { keepChoice, readChoice } from './choice.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'opsdeck.theme';

/** The theme chosen for all pages, else `system`. */
export function readTheme(): Theme {
  return readChoice(KEY, THEMES) ?? 'system';
}

/** The theme that colours the page. */
export function shownTheme(): Theme {
  return THEMES.find((theme) => theme === document.documentElement.dataset.theme) ?? 'system';
}

/** Colours the page: the style sheet sets `color-scheme` by `data-theme`; without it the browser's preference decides. */
export function showTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export function chooseTheme(theme: Theme): void {
  showTheme(theme);
  keepChoice(KEY, theme);
}

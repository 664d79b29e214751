import { keepChoice, readChoice } from './choice.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'opsdeck.theme';

/** The theme chosen under the key, else the fallback, else `system`. */
export function readTheme(key = KEY, fallback?: () => Theme): Theme {
  return readChoice(key, THEMES) ?? fallback?.() ?? 'system';
}

/** Colours the page: the style sheet sets `color-scheme` by `data-theme`; without it the browser's preference decides. */
export function showTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export function chooseTheme(theme: Theme, key = KEY): void {
  showTheme(theme);
  keepChoice(key, theme);
}

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'opsdeck.theme';

/** The theme stored under the key, else the fallback; `system` if the browser forbids storage. */
export function readTheme(key = KEY, fallback?: () => Theme): Theme {
  try {
    return THEMES.find((theme) => theme === localStorage.getItem(key)) ?? fallback?.() ?? 'system';
  } catch {
    return 'system';
  }
}

/** Colours the page: the style sheet sets `color-scheme` by `data-theme`; without it the browser's preference decides. */
export function showTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export function chooseTheme(theme: Theme, key = KEY): void {
  showTheme(theme);
  try {
    localStorage.setItem(key, theme);
  } catch {
    // Forbidden storage: the theme lasts until the page is closed.
  }
}

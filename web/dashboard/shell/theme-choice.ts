import type { Theme } from '../../shared/theme.ts';
import { readTheme, showTheme, THEMES } from '../../shared/theme.ts';

const KEY = 'usage-analytics-theme';

/** The theme chosen on this page, or else the one of opsdeck's other pages. */
export function readChosenTheme(): Theme {
  try {
    return THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? readTheme();
  } catch {
    return 'system';
  }
}

export function chooseTheme(theme: Theme): void {
  showTheme(theme);
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Forbidden storage: the theme holds until the page is closed.
  }
}

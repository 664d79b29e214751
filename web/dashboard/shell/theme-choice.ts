import type { Theme } from '../../shared/theme.ts';
import { chooseTheme, readTheme } from '../../shared/theme.ts';

const KEY = 'usage-analytics-theme';

/** The theme chosen on this page, else that of opsdeck's other pages. */
export const readChosenTheme = (): Theme => readTheme(KEY, readTheme);
export const keepTheme = (theme: Theme): void => chooseTheme(theme, KEY);

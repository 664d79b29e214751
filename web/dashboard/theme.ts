// A separate script in the head, so that the theme is set before the first paint.
import { showTheme } from '../shared/theme.ts';
import { readChosenTheme } from './shell/theme-choice.ts';

showTheme(readChosenTheme());

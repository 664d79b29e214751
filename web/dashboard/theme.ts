// A script of its own in the head, so that the chosen theme is there before the first paint.
import { showTheme } from '../shared/theme.ts';
import { readChosenTheme } from './shell/theme-choice.ts';

showTheme(readChosenTheme());

// A script of its own in the head, so that the chosen theme is there before the first paint.
import { readTheme, showTheme } from '../shared/theme.ts';

showTheme(readTheme());

// A separate script in the head, so that the theme is set before the first paint.
import { readTheme, showTheme } from '../shared/theme.ts';

showTheme(readTheme());

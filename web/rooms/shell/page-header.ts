import type { Clock } from '../../shared/clock.ts';
import { Header } from '../../shared/shell/header.ts';
import { ROOT } from '../root.ts';
import { language } from '../text/text.ts';

/** The header of all products; another language loads the page again, which keeps drafts and unsent messages. */
export const pageHeader = (clock: Clock, main: HTMLElement): HTMLElement =>
  new Header({ own: 'rooms', home: ROOT, root: ROOT, language, clock, main }).element;

import type { Clock } from '../../shared/clock.ts';
import type { Language } from '../data/settings.ts';
import type { Format } from '../text/format.ts';
import type { Translate } from '../text/translate.ts';

/** The language and the clock that every part of the page is built with; another language builds the parts anew. */
export interface Ui {
  readonly t: Translate;
  readonly format: Format;
  readonly language: Language;
  readonly clock: Clock;
}

import type { Clock } from '../../shared/clock.ts';
import type { Language } from '../../shared/language.ts';
import type { Format } from '../text/format.ts';
import type { Translate } from '../text/translate.ts';

/** Texts, formats and clock of all parts of the page; another language builds them anew. */
export interface Ui {
  readonly t: Translate;
  readonly format: Format;
  readonly language: Language;
  readonly clock: Clock;
}

import type { Clock } from '../shared/clock.ts';
import { h, setText } from '../shared/dom.ts';
import type { Language } from '../shared/language.ts';
import { serverWords } from './text/server-words.ts';
import { createTranslate, type Translate } from './text/translate.ts';

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const;

/** Texts and formats of all parts of the page, in one language. */
export class Ui {
  readonly language: Language;
  readonly clock: Clock;
  readonly t: Translate;
  readonly #relative: Intl.RelativeTimeFormat;
  readonly #absolute: Intl.DateTimeFormat;
  readonly #number: Intl.NumberFormat;
  /** The relay's clock minus the browser's, in milliseconds. */
  skewMs = 0;

  constructor(language: Language, clock: Clock) {
    this.language = language;
    this.clock = clock;
    this.t = createTranslate(language);
    this.#relative = new Intl.RelativeTimeFormat(language, { numeric: 'always', style: 'short' });
    this.#absolute = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' });
    this.#number = new Intl.NumberFormat(language);
  }

  /** A text of the relay. */
  words(text: string): string {
    return serverWords(text, this.language);
  }

  number(value: number): string {
    return this.#number.format(value);
  }

  /** Of a share from 0 to 1. */
  percent(share: number, digits = 3): string {
    return share.toLocaleString(this.language, { style: 'percent', maximumFractionDigits: digits });
  }

  /** The relay's time. */
  now(): number {
    return this.clock.now() + this.skewMs;
  }

  /** `3 min. ago`; the number of seconds is not exact, so that it does not flicker. */
  ago(at: number): string {
    const pastMs = Math.max(1000, this.now() - at);
    const [unit, ms] = UNITS.find(([, ms]) => pastMs >= ms) ?? ['second', 1000];
    return this.#relative.format(-Math.floor(pastMs / ms), unit);
  }

  absolute(at: number): string {
    return this.#absolute.format(at);
  }

  /** A time that `redrawTimes` keeps current; null: never. */
  time(at: number | null): Node {
    if (at === null) return document.createTextNode(this.t('never'));
    return h('time', { datetime: new Date(at).toISOString(), title: this.absolute(at), 'data-at': at }, this.ago(at));
  }

  redrawTimes(within: HTMLElement): void {
    for (const element of within.querySelectorAll<HTMLElement>('time[data-at]'))
      setText(element, this.ago(Number(element.dataset.at)));
  }
}

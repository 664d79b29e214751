import type { Language } from '../data/settings.ts';
import { german } from './de.ts';
import type { TextKey } from './en.ts';
import { english } from './en.ts';

export type Values = Readonly<Record<string, string | number>>;
export type Translate = (key: TextKey, values?: Values) => string;

const TEXTS: Readonly<Record<Language, Readonly<Record<TextKey, string>>>> = { en: english, de: german };

/**
 * Translates into a language: `{name}` is replaced by a value, numbers in the locale's format; `n` chooses between `one
 * || many`.
 */
export function createTranslate(language: Language, locale: string): Translate {
  const plurals = new Intl.PluralRules(locale);
  const numbers = new Intl.NumberFormat(locale);
  return (key, values = {}) => {
    const [one = '', many = one] = TEXTS[language][key].split(' || ');
    const form = typeof values.n === 'number' && plurals.select(values.n) !== 'one' ? many : one;
    return form.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = values[name];
      return typeof value === 'number' ? numbers.format(value) : (value ?? '');
    });
  };
}

import { createTranslate as translateBy, type Values } from '../../shared/translate.ts';
import { german } from './de.ts';
import { english, type TextKey } from './en.ts';

export type Translate = (key: TextKey, values?: Values) => string;

const TEXTS: Readonly<Record<'en' | 'de', Readonly<Record<TextKey, string>>>> = { en: english, de: german };

/** Translates into a language, with the numbers of a locale; see shared/translate.ts. */
export const createTranslate = (language: keyof typeof TEXTS, locale: string): Translate =>
  translateBy(TEXTS[language], locale);

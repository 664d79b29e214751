import type { Language } from '../../shared/language.ts';
import { createTranslate as translateBy, type Values } from '../../shared/translate.ts';
import { german } from './de.ts';
import type { TextKey } from './en.ts';
import { english } from './en.ts';

export type Translate = (key: TextKey, values?: Values) => string;

const TEXTS: Readonly<Record<Language, Readonly<Record<TextKey, string>>>> = { en: english, de: german };

/** Translates into a language; see shared/translate.ts. */
export const createTranslate = (language: Language, locale: string): Translate => translateBy(TEXTS[language], locale);

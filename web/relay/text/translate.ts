import type { Language } from '../../shared/language.ts';
import { createTranslate as translateBy, type Values } from '../../shared/translate.ts';
import { german } from './de.ts';
import { english, type TextKey } from './en.ts';

export type Translate = (key: TextKey, values?: Values) => string;

const TEXTS: Readonly<Record<Language, Readonly<Record<TextKey, string>>>> = { en: english, de: german };

/** Translates into a language; see shared/translate.ts. */
export const createTranslate = (language: Language): Translate => translateBy(TEXTS[language], language);

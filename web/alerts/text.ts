import type { Language } from '../shared/language.ts';
import { readLanguage } from '../shared/language.ts';
import { createTranslate, type Values } from '../shared/translate.ts';
import * as alert from './alert/text.ts';
import * as history from './history/text.ts';
import * as parts from './parts/text.ts';
import * as routing from './routing/text.ts';
import * as settings from './settings/text.ts';
import * as silence from './silence/text.ts';
import * as status from './status/text.ts';
import * as wall from './wall/text.ts';
import * as why from './why/text.ts';

/** The tables of the page's folders; a key begins with the noun of its table. */
export const TABLES = { alert, history, parts, routing, settings, silence, status, wall, why } as const;

const english = {
  ...parts.english,
  ...settings.english,
  ...alert.english,
  ...silence.english,
  ...why.english,
  ...history.english,
  ...routing.english,
  ...status.english,
  ...wall.english,
};
export type TextKey = keyof typeof english;

const TEXTS: Readonly<Record<Language, Readonly<Record<TextKey, string>>>> = {
  en: english,
  de: {
    ...parts.german,
    ...settings.german,
    ...alert.german,
    ...silence.german,
    ...why.german,
    ...history.german,
    ...routing.german,
    ...status.german,
    ...wall.german,
  },
};

/** The language of the page as long as it is loaded. */
export const language: Language = readLanguage();

/** Translates into the page's language; see shared/translate.ts. */
export const t: (key: TextKey, values?: Values) => string = createTranslate<TextKey>(TEXTS[language], language);

import { createTranslate, type Values } from '../shared/translate.ts';
import * as silence from './silence/text.ts';

/** The tables of the page's folders; a key begins with the noun of its table. */
export const TABLES = { silence } as const;

const english = { ...silence.english };
export type TextKey = keyof typeof english;

const TEXTS = {
  en: english,
  de: { ...silence.german },
} satisfies Record<string, Record<TextKey, string>>;

type Language = keyof typeof TEXTS;

function readLanguage(): Language {
  try {
    const chosen = localStorage.getItem('opsdeck.language');
    if (chosen === 'en' || chosen === 'de') return chosen;
  } catch {
    // Forbidden storage.
  }
  return navigator.language.startsWith('de') ? 'de' : 'en';
}

/** The language of the page as long as it is loaded. */
export const language: Language = readLanguage();

/** Translates into the page's language; see shared/translate.ts. */
export const t: (key: TextKey, values?: Values) => string = createTranslate<TextKey>(TEXTS[language], language);

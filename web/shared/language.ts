import { keepChoice, readChoice } from './choice.ts';

export const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Each in its own language. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' };

const KEY = 'opsdeck.language';

/** The language chosen for all pages, otherwise the browser's. */
export function readLanguage(): Language {
  return readChoice(KEY, LANGUAGES) ?? (navigator.language.startsWith('de') ? 'de' : 'en');
}

export function keepLanguage(language: Language): void {
  keepChoice(KEY, language);
}

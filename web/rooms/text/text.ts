import type { CopyWords } from '../../shared/copy-button.ts';
import { readLanguage } from '../../shared/language.ts';
import type { Values } from '../../shared/translate.ts';
import type { TextKey } from './en.ts';
import { createTranslate } from './translate.ts';

/** The language of the page; another one takes effect when the page is loaded again. */
export const language = readLanguage();

/** The browser's variant of the language, such as `en-GB`, for times and numbers. */
export const locale = navigator.languages?.find((name) => name.split('-')[0] === language) ?? language;

/** Translates into the language of the page. */
export const t = createTranslate(language, locale);

export const copyWords: CopyWords = { copy: t('copy'), copied: t('copied'), byHand: t('copy.by-hand') };

/** Stands for the place of an element; occurs in no text. */
const PLACE = '\0';

/** A text with an element in the place of the value `name`. */
export function withElement(
  key: TextKey,
  name: string,
  element: Node,
  values: Values = {},
): readonly (Node | string)[] {
  const [before = '', after = ''] = t(key, { ...values, [name]: PLACE }).split(PLACE);
  return [before, element, after];
}

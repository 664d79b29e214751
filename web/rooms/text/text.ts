import { readLanguage } from '../../shared/language.ts';
import { createTranslate, type Values } from '../../shared/translate.ts';
import { english, type TextKey } from './en.ts';
import type { Translate } from './translate.ts';

type German = typeof import('../german.ts');
type Refusals = typeof import('../german-refusals.ts');

/** The language of the page; another one takes effect when the page is loaded again. */
export const language = readLanguage();

/** The browser's variant of the language, such as `en-GB`, for times and numbers. */
export const locale = navigator.languages?.find((name) => name.split('-')[0] === language) ?? language;

let translate: Translate = createTranslate<TextKey>(english, locale);
let german: German | undefined;

/**
 * Loads the texts of the language, if they are not English, before the page is drawn: they are a file of their own, so that
 * others do not wait for them. English stays if the file cannot be read.
 */
export async function loadTexts(): Promise<void> {
  german = await load<German>('texts');
  if (german) translate = createTranslate<TextKey>(german.german, locale);
}

let refusals: Promise<Refusals | undefined> | undefined;

/** Loads the German of refusals; undefined in English. */
export function loadRefusals(): Promise<Refusals | undefined> {
  refusals ??= load<Refusals>('refusals');
  return refusals;
}

async function load<Module>(kind: string): Promise<Module | undefined> {
  const address = document.querySelector<HTMLMetaElement>(`meta[name="${kind}-${language}"]`)?.content;
  if (address === undefined) return undefined;
  return (import(new URL(address, location.href).href) as Promise<Module>).catch(() => undefined);
}

/** Translates into the language of the page. */
export const t: Translate = (key, values) => translate(key, values);

/** The German of what the server says; undefined in English. */
export const serverGerman = (): Omit<German, 'german'> | undefined => german;

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

import { quoteGo } from '../../domain/quote.ts';

/** The beginning of the words on a template error in a notification; the same in HTML. */
const START = 'template error in ';

/** The words on template errors; `errors` begins with the name of a field. */
export function noteOf(errors: string): string {
  return `${START}${errors}`;
}

/** A template that renders to the text, escaped where it stands in HTML. */
export function literalTemplate(text: string): string {
  return `{{ ${quoteGo(text)} }}`;
}

/** Adds a note to the end of a template, as a line of its own. */
export function appendNote(source: string, note: string): string {
  return source === '' ? note : `${source}\n${note}`;
}

/** Splits a rendered text from its closing note. The note begins with its line feed; a text without a note has an empty one. */
export function splitNote(text: string): { readonly body: string; readonly note: string } {
  const at = text.startsWith(START) ? 0 : text.lastIndexOf(`\n${START}`);
  return at < 0 ? { body: text, note: '' } : { body: text.slice(0, at), note: text.slice(at) };
}

/** Cuts a rendered text by `cut` to `most` of the units of `sizeOf`, but not the note that ends it. */
export function cutBeforeNote(
  text: string,
  most: number,
  sizeOf: (text: string) => number,
  cut: (text: string, most: number) => string,
): string {
  if (sizeOf(text) <= most) return text;
  const { body, note } = splitNote(text);
  const room = most - sizeOf(note);
  return note === '' || room <= 0 ? cut(text, most) : `${cut(body, room)}${note}`;
}

/** The German of a server's sentences; `$1` is what varies. */
export type Sentences = readonly (readonly [english: RegExp, german: string])[];

/** A sentence in German, if it is listed; any other, such as one of another system, stays as it is. */
export function germanOf(sentences: Sentences, text: string): string {
  const known = sentences.find(([english]) => english.test(text));
  return known ? text.replace(...known) : text;
}

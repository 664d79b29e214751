/** Limits of a complete set of data. Its memory depends more on the number of objects and lists than on its length. */
export const MAX_ITEMS = 100_000;
export const MAX_PARTS = 1_000_000;

/** Limits of a store: twice the largest set of data, to allow for patches. */
export const MAX_HELD = { items: 2 * MAX_ITEMS, parts: 2 * MAX_PARTS, chars: 128 * 2 ** 20 } as const;

export interface DataSize {
  /** Flags and segments, including deleted ones. */
  readonly items: number;
  /** Objects and lists. */
  readonly parts: number;
  readonly chars: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BRACKET = 0x5b;
const BRACE = 0x7b;

/** Number of objects and lists in a JSON text. */
export function countParts(json: string): number {
  let parts = 0;
  let isText = false;
  for (let index = 0; index < json.length; index++) {
    const code = json.charCodeAt(index);
    if (code === QUOTE) isText = !isText;
    else if (isText) index += code === BACKSLASH ? 1 : 0;
    else if (code === BRACE || code === BRACKET) parts++;
  }
  return parts;
}

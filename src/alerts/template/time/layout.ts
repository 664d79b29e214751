export type LayoutElement =
  | 'January'
  | 'Jan'
  | '1'
  | '01'
  | 'Monday'
  | 'Mon'
  | '2'
  | '_2'
  | '02'
  | '__2'
  | '002'
  | '15'
  | '3'
  | '03'
  | '4'
  | '04'
  | '5'
  | '05'
  | '2006'
  | '06'
  | 'PM'
  | 'pm'
  | 'MST'
  | 'Z0700'
  | 'Z070000'
  | 'Z07'
  | 'Z07:00'
  | 'Z07:00:00'
  | '-0700'
  | '-070000'
  | '-07'
  | '-07:00'
  | '-07:00:00';

export type LayoutPart =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'element'; readonly text: LayoutElement }
  /** `.000` or `,999`: as many digits as the text has after its separator; `trims` leaves trailing zeros out. */
  | {
      readonly kind: 'fraction';
      readonly text: string;
      readonly separator: string;
      readonly digits: number;
      readonly trims: boolean;
    };

/**
 * The reference elements of Go's layouts. Where two begin at the same place, their order decides; `Jan` and `Mon` do not
 * count before a lower-case letter, and the underscore of `_2006` is an ordinary character.
 */
const ELEMENTS = new RegExp(
  [
    'January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST',
    '0[1-6]|002|15|1|2006|2|_(?=2006)|_2|__2|3|4|5|PM|pm',
    '[-Z]070000|[-Z]07:00:00|[-Z]0700|[-Z]07:00|[-Z]07',
    '[.,](?:0+|9+)(?![0-9])',
  ].join('|'),
  'g',
);

const REMEMBERED_LAYOUTS = 100;
const remembered = new Map<string, readonly LayoutPart[]>();

function partOf(text: string): LayoutPart {
  const separator = text[0] as string;
  if (separator !== '.' && separator !== ',') return { kind: 'element', text: text as LayoutElement };
  return { kind: 'fraction', text, separator, digits: text.length - 1, trims: text[1] === '9' };
}

function split(layout: string): readonly LayoutPart[] {
  const parts: LayoutPart[] = [];
  let done = 0;
  for (const match of layout.matchAll(ELEMENTS)) {
    if (match[0] === '_') continue;
    if (match.index > done) parts.push({ kind: 'literal', text: layout.slice(done, match.index) });
    parts.push(partOf(match[0]));
    done = match.index + match[0].length;
  }
  if (done < layout.length) parts.push({ kind: 'literal', text: layout.slice(done) });
  return parts;
}

/** The parts of a layout of Go's package time, in order. */
export function layoutParts(layout: string): readonly LayoutPart[] {
  const known = remembered.get(layout);
  if (known) return known;
  const parts = split(layout);
  if (remembered.size >= REMEMBERED_LAYOUTS) remembered.clear();
  remembered.set(layout, parts);
  return parts;
}

import { EMOJI } from '../composer/emoji-names.ts';

const SIGNS = new Map(EMOJI.flatMap(([sign, names]) => names.map((name) => [name, sign] as const)));
const CODE = new RegExp(
  `(?<![\\p{L}\\p{N}]):(${[...SIGNS.keys()].map((name) => name.replace('+', '\\+')).join('|')}):(?![\\p{L}\\p{N}])`,
  'gu',
);

/** A text with the emoji of its codes: `:tada:`. */
export const withEmoji = (text: string): string =>
  text.includes(':') ? text.replace(CODE, (code, name: string) => SIGNS.get(name) ?? code) : text;

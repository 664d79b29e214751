/** The flags, width and precision between `%` and a verb. */
export interface FormatSpec {
  plus: boolean;
  minus: boolean;
  sharp: boolean;
  space: boolean;
  zero: boolean;
  /** `%+v`: fields with their names. */
  plusV: boolean;
  /** `%#v`: as in Go's source. */
  sharpV: boolean;
  /** In code points. */
  width: number | undefined;
  precision: number | undefined;
}

export const plainSpec = (): FormatSpec => ({
  plus: false,
  minus: false,
  sharp: false,
  space: false,
  zero: false,
  plusV: false,
  sharpV: false,
  width: undefined,
  precision: undefined,
});

/** Pads with zeros if the format has them and aligns to the right, otherwise with spaces. */
export const padding = (count: number, spec: FormatSpec): string =>
  count > 0 ? (spec.zero && !spec.minus ? '0' : ' ').repeat(count) : '';

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

export function pad(text: string, spec: FormatSpec): string {
  if (!spec.width) return text;
  const fill = padding(spec.width - codePoints(text), spec);
  return spec.minus ? text + fill : fill + text;
}

export const padWithSpaces = (text: string, spec: FormatSpec): string => pad(text, { ...spec, zero: false });

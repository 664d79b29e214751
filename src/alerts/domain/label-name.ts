import { isWellFormed } from './quote.ts';

const CLASSIC = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

/** Whether a label may have this name where only classic names are allowed. */
export function isClassicLabelName(name: string): boolean {
  return CLASSIC.test(name);
}

/** Whether a label may have this name where UTF-8 names are allowed: any text but the empty one. */
export function isUtf8LabelName(name: string): boolean {
  return name !== '' && (CLASSIC.test(name) || isWellFormed(name));
}

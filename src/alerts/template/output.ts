import { HtmlContext, type NamedEscaper } from './html-escape/escape.ts';
import { SafeText } from './html-escape/safe-text.ts';
import { formatValue } from './printf/printf.ts';
import { GoPointer, type GoValue } from './value.ts';

/** Where an execution writes to. */
export interface Output {
  readonly isHtml: boolean;
  text(literal: string): void;
  /** `escaper` has already been applied to the value. */
  print(value: GoValue, escaper?: NamedEscaper): void;
  /** The text written so far. */
  readonly written: string;
}

/** A value as Go prints it in text. */
export function displayValue(value: GoValue): string {
  if (typeof value === 'string') return value;
  if (value === undefined) return '<no value>';
  if (value instanceof SafeText) return value.text;
  return formatValue(value instanceof GoPointer ? value.target : value, 'v');
}

export class TextOutput implements Output {
  readonly isHtml = false;
  written = '';

  text(literal: string): void {
    this.written += literal;
  }

  print(value: GoValue): void {
    this.written += displayValue(value);
  }
}

export class HtmlOutput implements Output {
  readonly isHtml = true;
  written = '';
  readonly #context = new HtmlContext();

  text(literal: string): void {
    this.written += this.#context.text(literal);
  }

  print(value: GoValue, escaper?: NamedEscaper): void {
    this.written += this.#context.print(value, escaper);
  }
}

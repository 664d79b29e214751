import type { FileRef } from '../file/file.ts';

/** What was read of an attached file. */
export interface FileText {
  readonly text: string;
  /** Whether the file goes on. */
  readonly isCut: boolean;
}

/** By the ids of files; those that are no text are not there. */
export type FileTexts = ReadonlyMap<string, FileText>;

const TEXT_TYPES = /^(text\/|application\/xml$|image\/svg\+xml$)/;

/** Whether a file may be shown to a model, by what its first bytes are. */
export const isTextFile = ({ contentType }: FileRef): boolean => TEXT_TYPES.test(contentType);

/** The beginning of a text as UTF-8, up to its last whole line where more follows; `undefined`: it is none. */
export function decodeFileText(bytes: Uint8Array, isCut: boolean): FileText | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut });
    if (text.includes('\0')) return undefined;
    const lineEnd = text.lastIndexOf('\n');
    return { text: isCut && lineEnd > 0 ? text.slice(0, lineEnd) : text, isCut };
  } catch {
    return undefined;
  }
}

/** A file as a model is shown it; `shorten` makes its text fit. */
export function printFile(
  { name, size }: FileRef,
  content: FileText | undefined,
  shorten: (text: string) => { readonly text: string; readonly isCut: boolean },
): string {
  if (!content) return `[file ${name}]`;
  const shown = shorten(content.text.trimEnd());
  const end = content.isCut || shown.isCut ? `cut here; ${name} has ${size} bytes` : `end of ${name}`;
  return `[file ${name}]\n${shown.text}\n[${end}]`;
}

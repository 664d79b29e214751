import type { FileRef } from '../file/file.ts';

/** The beginning of an attached file. */
export interface FileText {
  readonly text: string;
  /** Whether the file continues. */
  readonly isCut: boolean;
}

/** By file id; files that are not text are missing. */
export type FileTexts = ReadonlyMap<string, FileText>;

const TEXT_TYPES = /^(text\/|application\/xml$|image\/svg\+xml$)/;

/** Whether a file may be shown to a model, by its first bytes. */
export const isTextFile = ({ contentType }: FileRef): boolean => TEXT_TYPES.test(contentType);

/** The beginning of a UTF-8 text, up to its last whole line if it continues; `undefined`: not text. */
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

/** A file as shown to a model; `shorten` cuts its text. */
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

const MAX_LENGTH = 255;
/** Control characters, and bidirectional controls, by which `exe.gnp` would look like an image. */
const DECEIVING = /[\p{Cc}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu;

/** A file's name: the last part of its path, in at most 255 characters, with its extension. */
export function fileNameOf(sent: string): string {
  const last = sent.toWellFormed().split(/[/\\]/).at(-1) ?? '';
  const name = last.replace(DECEIVING, '').trim();
  if (name === '' || name === '.' || name === '..') return 'file';
  const points = [...name];
  if (points.length <= MAX_LENGTH) return name;
  const ending = /\.[^.]{1,16}$/u.exec(name)?.[0] ?? '';
  return points.slice(0, MAX_LENGTH - [...ending].length).join('') + ending;
}

import type { Translate } from '../text/translate.ts';

/** Labels as text: `name=value`, one a line. */
export const printLabels = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');

/** Throws an error that names the wrong line and the reason, in the language of `t`. */
export function parseLabels(text: string, t: Translate): Readonly<Record<string, string>> {
  const labels = new Map<string, string>();
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line === '') continue;
    const at = line.indexOf('=');
    const name = line.slice(0, Math.max(at, 0)).trim();
    if (name === '') throw new Error(t('settings.bad-label', { line }));
    if (labels.has(name)) throw new Error(t('settings.double-label', { name }));
    labels.set(name, line.slice(at + 1).trim());
  }
  return Object.fromEntries(labels);
}

/** `null`: empty, so there is no limit. Throws an error with the words `problem`. */
export function parseCount(text: string, problem: string): number | null {
  const digits = text.trim().replace(/(?<=\d)[ ,.'](?=\d{3}\b)/g, '');
  if (digits === '') return null;
  if (!/^\d{1,10}$/.test(digits) || Number(digits) === 0) throw new Error(problem);
  return Number(digits);
}

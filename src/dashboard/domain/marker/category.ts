import type { ProjectMarker } from './marker.ts';

export const RECOMMENDED_CATEGORIES = [
  'Bugfix',
  'Feature',
  'Refactoring',
  'Analyse',
  'Dokumentation',
  'Suche',
] as const;

/** The English names of recommended categories; they count as the same category. */
const ENGLISH_NAMES: Readonly<Record<string, (typeof RECOMMENDED_CATEGORIES)[number]>> = {
  analysis: 'Analyse',
  documentation: 'Dokumentation',
  search: 'Suche',
};

/** The name of the group of markers without a category, in German and in files. */
export const NO_CATEGORY = 'Ohne Kategorie';
/** The name of the group of events without a marker. */
export const NO_MARKER = 'Ohne Marker';

const MAX_LENGTH = 40;

/**
 * The category at the beginning of a task: the text before the first separating `:`, `-`, en dash or em dash. A colon
 * of `://` or `:/` does not separate, a hyphen within a word only after a known category. `known` is in lower case.
 */
export function parseCategory(task: string, known: ReadonlySet<string> = RECOMMENDED): string | undefined {
  for (const { index, 0: separator } of task.matchAll(/[:\-\u2013\u2014]/g)) {
    const prefix = task.slice(0, index).trim();
    if (!separates(task, index, separator, known.has(prefix.toLowerCase()))) continue;
    return prefix.length >= 1 && prefix.length <= MAX_LENGTH ? canonical(prefix) : undefined;
  }
  return undefined;
}

function separates(task: string, index: number, separator: string, isKnown: boolean): boolean {
  if (separator === ':') return task[index + 1] !== '/';
  if (separator !== '-') return true;
  return isKnown || /\s/.test(task[index - 1] ?? '') || /\s/.test(task[index + 1] ?? '');
}

/** Recommended categories by their names in lower case. */
const CANONICAL: ReadonlyMap<string, string> = new Map([
  ...RECOMMENDED_CATEGORIES.map((category) => [category.toLowerCase(), category] as const),
  ...Object.entries(ENGLISH_NAMES),
]);
const RECOMMENDED: ReadonlySet<string> = new Set(CANONICAL.keys());

function canonical(prefix: string): string {
  return CANONICAL.get(prefix.toLowerCase()) ?? prefix;
}

/** Each marker's category; of spellings that differ in case only the newest is used. */
export function categoriesOf(markers: readonly ProjectMarker[]): ReadonlyMap<ProjectMarker, string | undefined> {
  const known = new Set(RECOMMENDED);
  for (const { task } of markers) {
    const category = parseCategory(task);
    if (category) known.add(category.toLowerCase());
  }
  const spelling = new Map<string, { readonly text: string; readonly updatedAt: number }>();
  const parsed = new Map<ProjectMarker, string | undefined>();
  for (const marker of markers) {
    const text = parseCategory(marker.task, known);
    parsed.set(marker, text);
    if (!text) continue;
    const updatedAt = Date.parse(marker.updatedAt) || 0;
    const other = spelling.get(text.toLowerCase());
    if (!other || updatedAt >= other.updatedAt) spelling.set(text.toLowerCase(), { text, updatedAt });
  }
  for (const [marker, text] of parsed) parsed.set(marker, text && spelling.get(text.toLowerCase())?.text);
  return parsed;
}

import { basename, dirname, join } from 'node:path';
import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';

/** One element of a pattern: the allowed characters, or `*` for any number of any. */
type Part = '*' | ((char: string) => boolean);

const BAD_PATTERN = 'syntax error in pattern';
const CLASS = /\[(?:(\^)|(?!\^))((?:\\[\s\S]|[^\]\\])+)\]/y;
const RANGE = /(\\[\s\S]|[^-\\])(?:-(\\[\s\S]|[^-\\]))?/suy;

const literalOf = (char: string): string => (char.startsWith('\\') ? char.slice(1) : char);

/** The ranges within brackets; undefined when they are malformed. */
function readClass(body: string, isNegated: boolean): Part | undefined {
  const ranges: [string, string][] = [];
  RANGE.lastIndex = 0;
  while (RANGE.lastIndex < body.length) {
    const match = RANGE.exec(body);
    if (!match) return undefined;
    const low = literalOf(match[1] as string);
    ranges.push([low, match[2] === undefined ? low : literalOf(match[2])]);
  }
  return (char) => ranges.some(([low, high]) => low <= char && char <= high) !== isNegated;
}

function readPattern(pattern: string): readonly Part[] | undefined {
  const parts: Part[] = [];
  for (let at = 0; at < pattern.length; ) {
    const char = String.fromCodePoint(pattern.codePointAt(at) as number);
    if (char === '[') {
      CLASS.lastIndex = at;
      const match = CLASS.exec(pattern);
      const part = match ? readClass(match[2] as string, match[1] !== undefined) : undefined;
      if (!match || !part) return undefined;
      parts.push(part);
      at += match[0].length;
    } else if (char === '\\') {
      const escaped = pattern[at + 1];
      if (escaped === undefined) return undefined;
      parts.push((other) => other === escaped);
      at += 2;
    } else {
      parts.push(char === '*' ? '*' : char === '?' ? () => true : (other) => other === char);
      at += char.length;
    }
  }
  return parts;
}

/** Backtracks only to the last `*`, so that no pattern takes long. */
function matches(parts: readonly Part[], name: string): boolean {
  const chars = [...name];
  let part = 0;
  let at = 0;
  let star = -1;
  let afterStar = 0;
  while (at < chars.length) {
    const current = parts[part];
    if (current === '*') {
      star = part++;
      afterStar = at;
    } else if (current?.(chars[at] as string)) {
      part++;
      at++;
    } else if (star >= 0) {
      part = star + 1;
      at = ++afterStar;
    } else {
      return false;
    }
  }
  return parts.slice(part).every((rest) => rest === '*');
}

const hasWildcard = (pattern: string): boolean => /[*?[\\]/.test(pattern);

async function exists(path: string): Promise<boolean> {
  try {
    const { stat } = await import('node:fs/promises');
    await stat(path);
    return true;
  } catch {
    return false;
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    const { readdir } = await import('node:fs/promises');
    return (await readdir(folder)).sort();
  } catch {
    return [];
  }
}

/**
 * The files that match a pattern, like Go's filepath.Glob: `*`, `?` and `[a-z]` within each part of the path, sorted by
 * name. May be empty; an unreadable folder counts as empty.
 */
export async function findFiles(pattern: string): Promise<Outcome<readonly string[]>> {
  if (!hasWildcard(pattern)) return accepted((await exists(pattern)) ? [pattern] : []);
  const parts = readPattern(basename(pattern));
  if (!parts) return refused(BAD_PATTERN);
  const folders = hasWildcard(dirname(pattern)) ? await findFiles(dirname(pattern)) : accepted([dirname(pattern)]);
  if (!folders.ok) return folders;
  const found: string[] = [];
  for (const folder of folders.value) {
    for (const name of await namesIn(folder)) if (matches(parts, name)) found.push(join(folder, name));
  }
  return accepted(found);
}

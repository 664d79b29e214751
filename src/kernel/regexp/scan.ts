/**
 * Reads a pattern piece by piece, enough to estimate its size and to find its named groups. The result for a pattern that
 * does not compile is not used.
 */

function escapeEnd(source: string, at: number): number {
  const kind = source[at + 1];
  if (kind === 'Q') return endOf(source, '\\E', at + 2);
  if ((kind === 'p' || kind === 'P' || kind === 'x') && source[at + 2] === '{') return endOf(source, '}', at + 3);
  return at + 2;
}

function classEnd(source: string, at: number): number {
  let end = at + 1;
  if (source[end] === '^') end++;
  if (source[end] === ']') end++;
  while (end < source.length && source[end] !== ']') {
    if (source[end] === '\\') end = escapeEnd(source, end);
    else if (source.startsWith('[:', end)) end = source.includes(':]', end) ? endOf(source, ':]', end) : end + 1;
    else end++;
  }
  return end + 1;
}

const NAMED_GROUP = /\(\?P?<\w+>/y;
const FLAGS = /\(\?[imsU-]*[:)]/y;
const COUNTED = /\{(\d+)(?:(,)(\d*))?\}/y;

function matchAt(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(source);
}

function endOf(source: string, mark: string, from: number): number {
  const at = source.indexOf(mark, from);
  return at < 0 ? source.length : at + mark.length;
}

/** The end of the piece that begins at `at`: a character, an escape, a class, the opening of a group, a repetition. */
function pieceEnd(source: string, at: number): number {
  switch (source[at]) {
    case '\\':
      return escapeEnd(source, at);
    case '[':
      return classEnd(source, at);
    case '(':
      return at + (matchAt(NAMED_GROUP, source, at) ?? matchAt(FLAGS, source, at) ?? ['('])[0].length;
    case '{':
      return at + (matchAt(COUNTED, source, at) ?? ['{'])[0].length;
    default:
      return at + 1;
  }
}

/** Go refuses a pattern whose nested repetitions make more copies than this. */
const MAX_COPIES = 1000;

/** One group, or the whole, so far: its size, and the size and nested copies of its last piece. */
interface Measure {
  size: number;
  lastSize: number;
  lastCopies: number;
  /** The most nested copies of any piece. */
  copies: number;
}

const measure = (): Measure => ({ size: 0, lastSize: 0, lastCopies: 1, copies: 1 });

function add(group: Measure, size: number, copies = 1): void {
  group.size += size;
  group.lastSize = size;
  group.lastCopies = copies;
  group.copies = Math.max(group.copies, copies);
}

function repeat(group: Measure, counted: RegExpExecArray): void {
  const [, least, comma, most] = counted;
  const open = comma !== undefined && !most;
  const copies = Number(most || least);
  group.size -= group.lastSize;
  add(group, (group.lastSize + 1) * (copies + (open ? 1 : 0)), Math.max(1, copies * group.lastCopies));
}

/**
 * An upper bound of the instructions of a compiled pattern. Only counted repetitions multiply: `(x{100}){9}` is short to
 * write and long to run. Zero for a pattern whose repetitions the parser refuses.
 */
export function estimateProgramSize(source: string): number {
  const outer: Measure[] = [];
  let group = measure();
  for (let at = 0, end = 0; at < source.length; at = end) {
    end = pieceEnd(source, at);
    const first = source[at];
    if (first === '(') {
      if (source[end - 1] === ')') continue;
      outer.push(group);
      group = measure();
    } else if (first === ')') {
      const { size, copies } = group;
      group = outer.pop() ?? measure();
      add(group, size + 2, copies);
    } else if (first === '{' && end > at + 1) {
      repeat(group, matchAt(COUNTED, source, at) as RegExpExecArray);
      if (group.copies > MAX_COPIES) return 0;
    } else if (first === '*' || first === '+' || first === '?') {
      group.size++;
      group.lastSize++;
    } else {
      // A repetition after `\Qabc\E` is one of its last character.
      if (source.startsWith('\\Q', at)) group.size += end - at;
      add(group, 1);
    }
  }
  return group.size + outer.reduce((total, { size }) => total + size, 0);
}

/** The same pattern with unique names of its groups. */
export function renameGroups(source: string): string {
  let renamed = '';
  let count = 0;
  for (let at = 0, end = 0; at < source.length; at = end) {
    end = pieceEnd(source, at);
    renamed += matchAt(NAMED_GROUP, source, at) ? `(?P<g${++count}>` : source.slice(at, end);
  }
  return renamed;
}

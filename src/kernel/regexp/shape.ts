/** A pattern that needs no automaton: literals, with `.*` or `.+` between them. */
interface Glob {
  /** At least one; without newlines, which `.` does not match, unless there is only one. */
  readonly pieces: readonly string[];
  /** The minimum number of characters between two pieces. */
  readonly gaps: readonly number[];
}

/** More alternatives with wildcards than this are faster in an automaton, which reads the text once. */
const MAX_GLOBS = 8;

/** An escaped character, a wildcard, a run of plain characters, or one of `|^$`; anything else needs the automaton. */
const PIECE = /\\([\0-/:-@[-`{-\x7f])|\.([*+])\??|([^\\.*+?()[{|^$]+)|[|^$]/y;

function finishGlob(pieces: string[], gaps: number[], last: string): Glob | undefined {
  pieces.push(last);
  if (gaps.length === 0) return { pieces, gaps };
  const wildcardsTouch = pieces.slice(1, -1).includes('');
  return wildcardsTouch || pieces.some((piece) => piece.includes('\n')) ? undefined : { pieces, gaps };
}

/** Reads the alternatives of a source; undefined when there is more to it than literals and wildcards. */
function readGlobs(source: string, anchored: boolean): Glob[] | undefined {
  const globs: Glob[] = [];
  let pieces: string[] = [];
  let gaps: number[] = [];
  let piece = '';
  for (let at = 0; at < source.length; at = PIECE.lastIndex) {
    PIECE.lastIndex = at;
    const match = PIECE.exec(source);
    if (!match) return undefined;
    const [mark, escaped, count, run] = match;
    if (run !== undefined || escaped !== undefined) {
      piece += run ?? escaped;
    } else if (count !== undefined) {
      pieces.push(piece);
      gaps.push(count === '+' ? 1 : 0);
      piece = '';
    } else if (mark === '|') {
      const glob = finishGlob(pieces, gaps, piece);
      if (!glob) return undefined;
      globs.push(glob);
      pieces = [];
      gaps = [];
      piece = '';
    } else {
      // In a match of the whole text, `^` at the start of an alternative and `$` at its end change nothing.
      const next = source[at + 1];
      const idle = mark === '^' ? pieces.length === 0 && piece === '' : next === undefined || next === '|';
      if (!anchored || !idle) return undefined;
    }
  }
  const glob = finishGlob(pieces, gaps, piece);
  return glob ? [...globs, glob] : undefined;
}

function matchesGlob({ pieces, gaps }: Glob, text: string): boolean {
  const first = pieces[0] as string;
  const last = pieces[pieces.length - 1] as string;
  if (!text.startsWith(first) || !text.endsWith(last) || text.includes('\n')) return false;
  let at = first.length;
  for (let i = 1; i < pieces.length - 1; i++) {
    const piece = pieces[i] as string;
    const found = text.indexOf(piece, at + (gaps[i - 1] as number));
    if (found < 0) return false;
    at = found + piece.length;
  }
  return at + (gaps[gaps.length - 1] as number) <= text.length - last.length;
}

const isLiteral = (glob: Glob) => glob.gaps.length === 0;
const literalOf = (glob: Glob) => glob.pieces[0] as string;

/** One group around the whole, as in `^(a|b)$`; the inside may still be two groups side by side. */
const WHOLE_GROUP = /^\^?\((?:\?:)?(.*)\)\$?$/s;

/**
 * A test of the whole text for `^(?:source)$` with the results of the automaton at the cost of a comparison; undefined if
 * the source has more than alternatives of literals and wildcards.
 */
export function anchoredShape(source: string): ((text: string) => boolean) | undefined {
  const globs = readGlobs(WHOLE_GROUP.exec(source)?.[1] ?? source, true);
  if (!globs) return undefined;
  const literals = globs.filter(isLiteral).map(literalOf);
  const wild = globs.filter((glob) => !isLiteral(glob));
  if (wild.length > MAX_GLOBS) return undefined;
  if (wild.length === 0) {
    const [only, another] = literals;
    if (another === undefined) return (text) => text === only;
    const known = new Set(literals);
    return (text) => known.has(text);
  }
  const [only, another] = wild as [Glob, ...Glob[]];
  if (literals.length === 0 && another === undefined) return (text) => matchesGlob(only, text);
  const known = new Set(literals);
  return (text) => known.has(text) || wild.some((glob) => matchesGlob(glob, text));
}

/** The same for a match anywhere in the text; for literals only. */
export function unanchoredShape(source: string): ((text: string) => boolean) | undefined {
  const globs = readGlobs(source, false);
  if (!globs || globs.length > MAX_GLOBS || !globs.every(isLiteral)) return undefined;
  const literals = globs.map(literalOf);
  const [only, another] = literals;
  if (only !== undefined && another === undefined) return (text) => text.includes(only);
  return (text) => literals.some((literal) => text.includes(literal));
}

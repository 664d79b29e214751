/** The kinds of marked pieces; everything else stays plain. */
export type PieceKind = 'comment' | 'string' | 'number' | 'keyword' | 'name' | 'inserted' | 'deleted';

/** How a language is marked. */
export interface Language {
  /** One search, whose groups are kinds of pieces; a `word` is a keyword if it is in the list. */
  readonly pieces: RegExp;
  readonly keywords: ReadonlySet<string>;
  readonly ignoresCase?: boolean;
}

// An alternative whose closing sign is missing takes everything up to the end, so that the search is linear.
const END = '(?![^])';
const HASH_COMMENT = '(?<comment>(?<![^\\s;(])#[^\\n]*)';
const C_COMMENT = `(?<comment>//[^\\n]*|/\\*[^]*?(?:\\*/|${END}))`;
const DOUBLE = '"(?:[^"\\\\\\n]|\\\\[^])*"?';
const SINGLE = "'(?:[^'\\\\\\n]|\\\\[^])*'?";
const NUMBER = '(?<number>(?<![\\w.])-?\\d[\\w.]*)';
const WORD = '(?<word>[A-Za-z_$][\\w$]*)';

const search = (...alternatives: readonly string[]): RegExp => new RegExp(alternatives.join('|'), 'gm');
const list = (words: string): ReadonlySet<string> => new Set(words.split(' '));

const shell: Language = {
  pieces: search(
    HASH_COMMENT,
    `(?<string>"(?:[^"\\\\]|\\\\[^])*"?|'[^']*'?)`,
    '(?<name>\\$(?:\\{[^}\\n]*\\}?|\\w+|[?@*#!$-])|(?<=\\s)--?[A-Za-z][\\w-]*)',
    '(?<word>[\\w.-]+)',
  ),
  keywords: list(
    'if then elif else fi for in while until do done case esac function return exit export local set unset cd echo sudo exec',
  ),
};

const json: Language = {
  pieces: search(C_COMMENT, `(?<name>${DOUBLE}(?=\\s{0,40}:))`, `(?<string>${DOUBLE})`, NUMBER, WORD),
  keywords: list('true false null'),
};

const yaml: Language = {
  pieces: search(
    HASH_COMMENT,
    '(?<name>^[ \\t]*(?:-[ \\t]+)*[\\w./$-]+(?=:(?:[ \\t]|$)))',
    `(?<string>${DOUBLE}|'[^'\\n]*'?)`,
    NUMBER,
    '(?<keyword>[&*][\\w-]+|^---)',
    '(?<word>[A-Za-z_][\\w-]*)',
  ),
  keywords: list('true false null'),
};

const script: Language = {
  pieces: search(C_COMMENT, `(?<string>${DOUBLE}|${SINGLE}|\`(?:[^\`\\\\]|\\\\[^])*\`?)`, NUMBER, WORD),
  keywords: list(
    'any as async await boolean break case catch class const continue default delete do else enum export extends false finally for from function if implements import in instanceof interface keyof let never new null number of private public readonly return satisfies static string super switch this throw true try type typeof undefined unknown var void while yield',
  ),
};

const python: Language = {
  pieces: search(
    HASH_COMMENT,
    `(?<string>"""[^]*?(?:"""|${END})|'''[^]*?(?:'''|${END})|${DOUBLE}|${SINGLE})`,
    '(?<name>^[ \\t]*@[\\w.]+)',
    NUMBER,
    WORD,
  ),
  keywords: list(
    'and as assert async await break class continue def del elif else except False finally for from global if import in is lambda None nonlocal not or pass raise return self True try while with yield',
  ),
};

const go: Language = {
  pieces: search(C_COMMENT, `(?<string>${DOUBLE}|${SINGLE}|\`[^\`]*\`?)`, NUMBER, WORD),
  keywords: list(
    'any bool break byte case chan const continue default defer else error false float64 for func go goto if import int int64 interface map nil package range return select string struct switch true type var',
  ),
};

const sql: Language = {
  pieces: search(
    `(?<comment>--[^\\n]*|/\\*[^]*?(?:\\*/|${END}))`,
    "(?<string>'(?:[^']|'')*'?)",
    '(?<name>"[^"\\n]*"?)',
    NUMBER,
    WORD,
  ),
  keywords: list(
    'add all alter analyze and as asc begin between by case commit constraint create cross default delete desc distinct drop else end exists explain false filter for foreign from full group having if ilike in index inner insert into interval is join key left like limit lock not null offset on or order outer over partition primary references returning right rollback select set table then true truncate union unique update using values view when where with',
  ),
  ignoresCase: true,
};

const diff: Language = {
  pieces: search(
    '(?<comment>^(?:diff |index |--- |\\+\\+\\+ ).*)',
    '(?<name>^@@.*)',
    '(?<inserted>^\\+.*)',
    '(?<deleted>^-.*)',
  ),
  keywords: new Set(),
};

const NAMES: readonly (readonly [names: string, language: Language])[] = [
  ['sh bash shell zsh console', shell],
  ['json jsonc', json],
  ['yaml yml', yaml],
  ['js jsx javascript ts tsx typescript', script],
  ['py python', python],
  ['go golang', go],
  ['sql postgresql mysql sqlite', sql],
  ['diff patch', diff],
];
const BY_NAME = new Map(
  NAMES.flatMap(([names, language]) => names.split(' ').map((name) => [name, language] as const)),
);

/** By the name at a code block's fence; `undefined`: its code stays plain. */
export const languageOf = (name: string): Language | undefined => BY_NAME.get(name.toLowerCase());

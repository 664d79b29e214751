/** The longest text shown without a request, and the longest paragraph of it. */
const LENGTH = 16_000;
const RUN_LENGTH = 8_000;

const filled = (piece: string, end = '', length = LENGTH): string =>
  `${piece.repeat(Math.ceil(length / piece.length)).slice(0, length - end.length)}${end}`;
const run = (piece: string, end = ''): string => filled(piece, end, RUN_LENGTH);

/** Messages that cost a Markdown parser seconds, minutes, or its stack. */
export const HOSTILE_TEXTS: ReadonlyMap<string, string> = new Map([
  ['quotes in quotes', '>'.repeat(20_000)],
  ['quotes in quotes that go on', `${'>'.repeat(4_000)}\nx`],
  ['lists in lists', filled('- ', '|\n|-|\n')],
  [
    'lists that are indented ever more',
    Array.from({ length: 120 }, (_, depth) => `${' '.repeat(depth * 2)}- a\n`).join(''),
  ],
  ['something like a mail address', `${'a.'.repeat(32_500)}@`],
  ['a shorter one', run('a.', '@')],
  ['something like many mail addresses', run('a@')],
  ['signs behind an address', run('https://a.b/', ';:'.repeat(RUN_LENGTH / 4))],
  ['brackets behind an address', `https://a.b/${run(')')}`.slice(0, RUN_LENGTH)],
  ['emphasis of two kinds', run('*a_')],
  ['emphasis in emphasis', run('**a *b ')],
  ['struck out', run('~a ')],
  ['brackets', run('[')],
  ['escaped brackets', run('\\[')],
  ['links that do not end', run('[a](b')],
  ['links in links', run('[', `a${'](b)'.repeat(1_000)}`)],
  ['labels', run('[a][')],
  ['definitions that do not end', filled('[a]: b "')],
  ['comments that do not end', run('<!--')],
  ['tags that do not end', run('<a b=')],
  ['code spans that do not match', Array.from({ length: 120 }, (_, length) => '`'.repeat(length)).join('a')],
  ['entities', run('&#35;')],
  ['a wide table', `${'|a'.repeat(3_000)}|\n${'|-'.repeat(3_000)}|\n${'|\n'.repeat(9_000)}`],
  ['a table of many rows', `${'|a'.repeat(500)}|\n${'|-'.repeat(500)}|\n${'|\n'.repeat(900)}`],
  ['lines', filled('a\n')],
  ['lines of a list with code', `- ${filled('    a\n')}`],
  ['lists with underlines', filled('1. x\n=')],
  ['quotes with fences', filled('    a\n>>~~~\n')],
  ['spaces', run(' ', 'a')],
  ['spaces before line ends', filled(`a${' '.repeat(500)}\n`)],
  ['a line of dashes that ends otherwise', run('a\n', '-'.repeat(RUN_LENGTH - 3).concat('x'))],
  ['one word', filled('a')],
]);

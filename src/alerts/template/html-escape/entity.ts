/** The named characters that are ASCII, and the few others that count as blanks in a script. */
const NAMED = new Map(
  `
  Tab \t NewLine \n excl ! quot " QUOT " num # dollar $ percnt % amp & AMP & apos ' lpar ( rpar ) ast * midast * plus +
  comma , period . sol / colon : semi ; lt < LT < equals = gt > GT > quest ? commat @ lsqb [ lbrack [ bsol \\ rsqb ]
  rbrack ] Hat ^ lowbar _ UnderBar _ grave \` DiacriticalGrave \` lcub { lbrace { verbar | vert | VerticalLine | rcub }
  rbrace }
  `
    .match(/[A-Za-z]+ ./gs)
    ?.map((pair) => [pair.slice(0, -2), pair.slice(-1)] as const),
).set('nbsp', '\u00a0');

const REFERENCE = /&(?:#(?:[xX]([\da-fA-F]+)|(\d+));?|([A-Za-z]+);|(quot|QUOT|amp|AMP|lt|LT|gt|GT|nbsp))/g;

function characterOf(point: number): string {
  return point === 0 || point > 0x10_ffff || (point >= 0xd800 && point < 0xe000)
    ? '\ufffd'
    : String.fromCodePoint(point);
}

/**
 * Decodes the HTML character references that affect where strings, comments and URLs begin and end.
 */
export function decodeReferences(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(REFERENCE, (match: string, hex?: string, decimal?: string, name?: string, bare?: string) => {
    if (hex !== undefined) return characterOf(Number.parseInt(hex, 16));
    if (decimal !== undefined) return characterOf(Number(decimal));
    const known = NAMED.get(name ?? (bare as string));
    if (known !== undefined) return known;
    // Old names need no semicolon: `&ampx;` is an ampersand and `x;`.
    const old = /^&(quot|QUOT|amp|AMP|lt|LT|gt|GT|nbsp)/.exec(match);
    return old ? NAMED.get(old[1] as string) + match.slice(old[0].length) : match;
  });
}

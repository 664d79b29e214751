const ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};
const UNESCAPES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(ESCAPES).map(([char, written]) => [written[1] as string, char]),
);

/** Go prints letters, marks, numbers, punctuation, symbols and the plain space; all else is escaped. */
const TO_ESCAPE = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

function escapeOf(char: string): string {
  const known = ESCAPES[char];
  if (known !== undefined) return known;
  const point = char.codePointAt(0) as number;
  if (point < 0x20 || point === 0x7f) return `\\x${point.toString(16).padStart(2, '0')}`;
  if (isSurrogate(point)) return '\\ufffd';
  return point < 0x1_0000 ? `\\u${point.toString(16).padStart(4, '0')}` : `\\U${point.toString(16).padStart(8, '0')}`;
}

const isSurrogate = (point: number) => point >= 0xd800 && point < 0xe000;

/** Quotes a text like Go's `%q` and strconv.Quote. */
export function quoteGo(text: string): string {
  return `"${text.replace(TO_ESCAPE, escapeOf)}"`;
}

/** Whether a text can be encoded in UTF-8: it has no lone surrogate. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

const PIECE =
  /([^"\\\n]+)|\\(?:([abfnrtv\\"])|(?:x([\da-fA-F]{2})|([0-3][0-7]{2}))|(?:u([\da-fA-F]{4})|U([\da-fA-F]{8})))/y;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: readonly number[]): string | undefined {
  try {
    return utf8.decode(Uint8Array.from(bytes));
  } catch {
    return undefined;
  }
}

function characterOf(hex: string): string | undefined {
  const point = Number.parseInt(hex, 16);
  return point > 0x10_ffff || isSurrogate(point) ? undefined : String.fromCodePoint(point);
}

/**
 * Unquotes a text in double quotes like Go's strconv.Unquote. Undefined when it is not properly quoted, or its value is
 * not UTF-8 (`"\xff"`).
 */
export function unquoteGo(quoted: string): string | undefined {
  const end = quoted.length - 1;
  if (end < 1 || quoted[0] !== '"' || quoted[end] !== '"' || !isWellFormed(quoted)) return undefined;
  let text = '';
  let bytes: number[] = [];
  for (let at = 1; at < end; at = PIECE.lastIndex) {
    PIECE.lastIndex = at;
    const match = PIECE.exec(quoted);
    if (!match || PIECE.lastIndex > end) return undefined;
    const [, plain, short, hexByte, octalByte, point4, point8] = match;
    if (hexByte ?? octalByte) {
      bytes.push(hexByte ? Number.parseInt(hexByte, 16) : Number.parseInt(octalByte as string, 8));
      continue;
    }
    const before = decode(bytes);
    const character = plain ?? (short ? UNESCAPES[short] : characterOf((point4 ?? point8) as string));
    if (before === undefined || character === undefined) return undefined;
    text += before + character;
    bytes = [];
  }
  const rest = decode(bytes);
  return rest === undefined ? undefined : text + rest;
}

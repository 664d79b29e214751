const QUOTE = 0x22;
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/**
 * Reads the JSON array at the start of the bytes in slices of whole elements, each of at least `sliceBytes` except the
 * last. Bytes after the array are ignored. Yields undefined and ends when there is no array or the JSON is invalid.
 */
export function* readArraySlices(bytes: Buffer, sliceBytes: number): Generator<readonly unknown[] | undefined, void> {
  let start = findFirstElement(bytes);
  for (;;) {
    const end = start === undefined ? undefined : findEnd(bytes, start, sliceBytes);
    const elements = end === undefined ? undefined : parseElements(bytes.toString('utf8', start, end));
    yield elements;
    if (!elements || end === undefined || bytes[end] === CLOSING_BRACKET) return;
    start = end + 1;
  }
}

function findFirstElement(bytes: Buffer): number | undefined {
  let at = 0;
  while (bytes[at] === 0x20 || bytes[at] === 0x09 || bytes[at] === 0x0a || bytes[at] === 0x0d) at++;
  return bytes[at] === OPENING_BRACKET ? at + 1 : undefined;
}

/** The first comma between two elements at or after that position, or the end of the array. */
function findEnd(bytes: Buffer, start: number, sliceBytes: number): number | undefined {
  let depth = 0;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = findClosingQuote(bytes, at + 1);
    else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) depth++;
    else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) {
      if (depth-- === 0) return byte === CLOSING_BRACKET ? at : undefined;
    } else if (byte === COMMA && depth === 0 && at - start >= sliceBytes) return at;
  }
  return undefined;
}

function findClosingQuote(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** An element must stand between two commas. */
function parseElements(text: string): readonly unknown[] | undefined {
  try {
    const elements = JSON.parse(`[${text}]`) as readonly unknown[];
    return elements.length > 0 ? elements : undefined;
  } catch {
    return undefined;
  }
}

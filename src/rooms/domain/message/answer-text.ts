/** The text of an answer, built piece by piece. */
export interface AnswerText {
  readonly text: string;
  /** The end of a piece that may continue in the next one. */
  readonly held: string;
  readonly bytes: number;
  /** Full: the text has reached a message's limit in bytes, and the rest is dropped. */
  readonly isFull: boolean;
}

export const NO_ANSWER: AnswerText = { text: '', held: '', bytes: 0, isFull: false };

/**
 * Adds a piece: line ends become LF; U+0000 and lone surrogates are dropped. A pair or line end split between two
 * pieces is joined.
 */
export function addPiece(answer: AnswerText, piece: string, maxBytes: number): AnswerText {
  if (answer.isFull) return answer;
  let raw = answer.held + piece;
  const last = raw.at(-1) ?? '';
  const isHalf = /[\r\uD800-\uDBFF]/.test(last);
  const held = isHalf ? last : '';
  if (isHalf) raw = raw.slice(0, -1);
  const clean = raw.replace(/\r\n?/g, '\n').replaceAll('\0', '').toWellFormed();
  const bytes = answer.bytes + Buffer.byteLength(clean);
  if (bytes <= maxBytes) return { text: answer.text + clean, held, bytes, isFull: false };
  const fitting = fit(clean, maxBytes - answer.bytes);
  return { text: answer.text + fitting, held: '', bytes: answer.bytes + Buffer.byteLength(fitting), isFull: true };
}

/** The longest prefix within a number of bytes, cut at a code point's boundary. */
function fit(text: string, maxBytes: number): string {
  let length = 0;
  let bytes = 0;
  for (const point of text) {
    bytes += Buffer.byteLength(point);
    if (bytes > maxBytes) break;
    length += point.length;
  }
  return text.slice(0, length);
}

/** The text of an answer as it comes in, piece by piece, made fit to be kept. */
export interface AnswerText {
  readonly text: string;
  /** What waits for its other half. */
  readonly held: string;
  readonly bytes: number;
  /** It has as many bytes as a message may have; what follows is left out. */
  readonly isFull: boolean;
}

export const NO_ANSWER: AnswerText = { text: '', held: '', bytes: 0, isFull: false };

/**
 * Adds a piece: line ends become LF, U+0000 and halves of surrogate pairs go. A pair or line end that is cut between two
 * pieces is put together again.
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

/** As much of a text as has room in so many bytes, cut between two code points. */
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

import { accepted, type Outcome, refuse } from '../refusal.ts';

/**
 * A message's text as stored, with LF line ends. Refused if it cannot be stored or sent unchanged, or has more than
 * `maxBytes` bytes of UTF-8.
 */
export function checkBody(text: string, maxBytes: number): Outcome<string> {
  const path = 'body';
  if (text.includes('\0')) return refuse('invalid_body', 'body: holds U+0000', { path });
  if (!text.isWellFormed()) return refuse('invalid_body', 'body: holds half of a surrogate pair', { path });
  const body = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  // A UTF-16 unit takes at most three bytes.
  if (body.length * 3 > maxBytes && Buffer.byteLength(body) > maxBytes)
    return refuse('too_large', `body: is larger than ${maxBytes} bytes; send it as a file`, { path });
  return accepted(body);
}

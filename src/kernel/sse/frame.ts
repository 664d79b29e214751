import { EventBuffer } from 'better-sse';

/** One server-sent event. Source: https://html.spec.whatwg.org/multipage/server-sent-events.html */
export interface EventFields {
  /** The event type; `message` if absent. One line. */
  readonly event?: string;
  /** Any text. Each line becomes a `data:` field of its own, so CR and CRLF arrive as LF. */
  readonly data: string;
  /** The `Last-Event-ID` that a returning client sends. One line without NUL; `''` resets it. */
  readonly id?: string;
  /** The time after which a client reconnects, in whole milliseconds. */
  readonly retry?: number;
}

/** Bytes ready for the wire, made once and shared by all clients. */
export class Frame {
  /** The same as one chunk of a body in HTTP/1.1: its length, the bytes, a line end. */
  readonly chunk: Buffer;
  readonly bytes: Buffer;

  constructor(text: string) {
    const length = Buffer.byteLength(text);
    const head = `${length.toString(16)}\r\n`;
    this.chunk = Buffer.allocUnsafe(head.length + length + 2);
    this.chunk.write(head);
    this.chunk.write(text, head.length);
    this.chunk.write('\r\n', head.length + length);
    this.bytes = this.chunk.subarray(head.length, head.length + length);
  }
}

/** better-sse writes `name:value`; strict clients need a space. Lines are split here. */
const SPACED_FIELDS = { serializer: String, sanitizer: (value: string) => ` ${value}` };
const BARE_FIELDS = { serializer: String, sanitizer: (value: string) => value };

/** Frames an event as `retry`, `id`, `event`, `data`, those that are given; a RangeError names a field that cannot be written. */
export function frameEvent({ event, data, id, retry }: EventFields): Frame {
  const buffer = new EventBuffer(SPACED_FIELDS);
  if (retry !== undefined) buffer.retry(wholeMilliseconds(retry));
  if (id !== undefined) buffer.id(withoutCharacters('id', id, /[\r\n\0]/));
  if (event !== undefined) buffer.event(withoutCharacters('event', event, /[\r\n]/));
  for (const line of splitLines(data)) buffer.data(line);
  return new Frame(buffer.dispatch().read());
}

/** Frames a comment, which clients ignore: `:`, the text as it is, and a blank line unless given otherwise. */
export function frameComment(text = '', { blankLine = true } = {}): Frame {
  const buffer = new EventBuffer(BARE_FIELDS);
  for (const line of splitLines(text)) buffer.comment(line);
  if (blankLine) buffer.dispatch();
  return new Frame(buffer.read());
}

function splitLines(text: string): readonly string[] {
  return text.includes('\n') || text.includes('\r') ? text.split(/\r\n|\r|\n/) : [text];
}

function withoutCharacters(field: string, value: string, forbidden: RegExp): string {
  if (forbidden.test(value))
    throw new RangeError(`${field} of an event: ${JSON.stringify(value)} cannot stand on one line`);
  return value;
}

function wholeMilliseconds(retry: number): number {
  if (!Number.isSafeInteger(retry) || retry < 0)
    throw new RangeError(`retry of an event: ${retry} is not a whole number of milliseconds`);
  return retry;
}

import type { ChalkInstance } from 'chalk';
import { printable } from '../../kernel/terminal/printable.ts';
import type { WireMessage } from '../contract/message.ts';
import { safeLines, sizeText } from './output.ts';

export interface LineOptions {
  readonly colors: ChalkInstance;
  /** The slug of a room by its id, if several rooms are shown; else `undefined`. */
  readonly slugOf?: (roomId: string) => string;
}

/** A message as printed: a line, and one for each further line of its text and each of its files. */
export function messageLines(message: WireMessage, options: LineOptions): string {
  const { colors } = options;
  const [first = '', ...others] = textLines(message, colors);
  const indent = indentOf(message);
  const rest = [...others, ...message.attachments.map((file) => colors.dim(fileText(file)))];
  return `${headOf(message, options)} ${first}\n${rest.map((line) => `${' '.repeat(indent.length + 8)}${line}\n`).join('')}`;
}

/** What precedes a message's text. */
export function headOf(message: WireMessage, { colors, slugOf }: LineOptions): string {
  const { createdAt, roomId, author } = message;
  const room = slugOf ? `${colors.cyan(printable(slugOf(roomId)))} ` : '';
  const name = printable(author.name);
  const shown = author.kind === 'human' ? colors.bold(name) : colors.magenta(name);
  return `${indentOf(message)}${colors.dim(timeOf(createdAt))} ${room}${shown}:`;
}

/** Replies are indented. */
function indentOf({ threadId, alsoInRoom }: WireMessage): string {
  return threadId !== null && !alsoInRoom ? '  ↳ ' : '';
}

function textLines(message: WireMessage, colors: ChalkInstance): readonly string[] {
  if (message.deleted) return [colors.dim('(deleted)')];
  const lines = message.body === '' ? [] : safeLines(withoutLastLineEnds(message.body));
  if (message.type === 'alert') {
    const color = message.card?.state === 'resolved' ? colors.green : colors.red;
    return lines.map((line, index) => (index === 0 ? color(line) : line));
  }
  const failed = message.status === 'failed' || message.status === 'cancelled';
  return failed ? [...lines, colors.red(`(${message.status})`)] : lines;
}

function withoutLastLineEnds(text: string): string {
  let end = text.length;
  while (text[end - 1] === '\n') end--;
  return text.slice(0, end);
}

const fileText = ({ name, size, id }: WireMessage['attachments'][number]): string =>
  `[${printable(name)}, ${sizeText(size)}, /api/file/${printable(id)}]`;

/** Day and time in the time zone of the terminal. */
function timeOf(instant: string): string {
  const at = new Date(Date.parse(instant));
  if (Number.isNaN(at.getTime())) return printable(instant);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

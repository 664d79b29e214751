import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { CommandError, ExitCode } from '../../../kernel/errors.ts';
import { printable } from '../../../kernel/terminal/printable.ts';
import type { Terminal } from '../../../kernel/terminal/terminal.ts';
import { type RoomsClient, withClient } from '../client.ts';
import type { ConnectionOptions } from '../connection.ts';
import { printJson } from '../output.ts';
import { Persistence } from '../persistence.ts';
import { enc } from '../wire.ts';
import { type Attachment, attachmentOf, readAttachment, uploadAttachment } from './attachment.ts';
import { awaitReply } from './await-reply.ts';
import { fenceText, shortenText } from './long-text.ts';
import { postMessage, type Said } from './post-message.ts';

export interface SayOptions extends ConnectionOptions {
  readonly thread?: string;
  readonly id?: string;
  readonly file?: readonly string[];
  /** A language, or `true`. */
  readonly code?: string | true;
  readonly silent?: boolean;
  /** How long to wait for an answer, in milliseconds. */
  readonly waitReply?: number;
  /** How long to retry, in milliseconds. */
  readonly retry: number;
  /** Bytes. */
  readonly maxBody: number;
}

const MESSAGE_ID = /^[A-Za-z0-9_-]{8,64}$/;

/** `rooms say`: posts, and ends with 0 only if the message is on the server's disk. */
export async function say(
  room: string,
  words: readonly string[],
  options: SayOptions,
  terminal: Terminal,
): Promise<void> {
  const { id = randomUUID(), thread } = options;
  if (!MESSAGE_ID.test(id)) throw new CommandError('--id: write 8 to 64 letters, digits, "_" and "-"', ExitCode.usage);
  const files = (options.file ?? []).map(readAttachment);
  const spoken = await readSpoken(words, files.length > 0, terminal);
  await withClient(options, terminal, async (client) => {
    const persistence = new Persistence(client.clock, options.retry);
    const draft = draftOf(spoken, options);
    const attached = draft.attachment ? [draft.attachment, ...files] : files;
    const ids: string[] = [];
    for (const file of attached) ids.push(await persistence.run((limits) => uploadAttachment(client, file, limits)));
    const body = {
      id,
      roomId: room,
      body: draft.body,
      ...(thread === undefined ? {} : { threadId: thread }),
      ...(options.silent ? { silent: true } : {}),
      ...(ids.length === 0 ? {} : { attachments: ids }),
    };
    const said = await persistence.run((limits) => postMessage(client, body, attached, limits));
    printSaid(said, options, terminal);
    if (options.waitReply !== undefined) await printReply(client, room, said, options, terminal);
  });
}

interface Spoken {
  readonly bytes: Uint8Array;
  /** `undefined`: no text. */
  readonly text: string | undefined;
  readonly isPiped: boolean;
}

async function readSpoken(words: readonly string[], hasFiles: boolean, terminal: Terminal): Promise<Spoken> {
  if (words.length > 0 || hasFiles) {
    const text = words.join(' ');
    return { bytes: Buffer.from(text), text, isPiped: false };
  }
  if (terminal.isTyped)
    throw new CommandError(
      'write the text, or pipe it in: make test 2>&1 | opsdeck rooms say ci --code',
      ExitCode.usage,
    );
  const bytes = await buffer(terminal.stdinStream());
  const text = textOf(bytes);
  if (text?.trim() === '') throw new CommandError('standard input was empty: there is nothing to say', ExitCode.usage);
  return { bytes, text, isPiped: true };
}

/** `undefined`: not UTF-8, or with U+0000, which no message holds. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

interface Draft {
  readonly body: string;
  /** Every byte of the input, if the body is not the same text. */
  readonly attachment?: Attachment;
}

function draftOf({ bytes, text, isPiped }: Spoken, { code, maxBody }: SayOptions): Draft {
  if (text === undefined) return { body: '', attachment: attachmentOf('output', bytes) };
  const language = typeof code === 'string' ? code : '';
  // No message shows colour sequences, or has carriage returns.
  const shown = isPiped ? stripVTControlCharacters(text).replace(/\r\n?/g, '\n') : text;
  const whole = code === undefined ? (isPiped ? escapeCommand(shown) : shown) : fenceText(shown, language);
  const fits = Buffer.byteLength(whole) <= maxBody;
  const body = fits ? whole : shortenText(shown, bytes.length, language, maxBody);
  return fits && shown === text ? { body } : { body, attachment: attachmentOf('output.txt', bytes) };
}

/** Program output that looks like a command is escaped. */
const escapeCommand = (text: string): string => (/^\/[A-Za-z]/.test(text) ? `/${text}` : text);

function printSaid(said: Said, { json }: SayOptions, terminal: Terminal): void {
  if (said.kind === 'notice') {
    if (json) printJson(terminal, said.answer);
    else terminal.out(`${said.lines.join('\n')}\n`);
    return;
  }
  if (json) printJson(terminal, said.answer);
  else terminal.out(`${printable(said.message.id)}\n`);
}

async function printReply(
  client: RoomsClient,
  room: string,
  said: Said,
  options: SayOptions,
  terminal: Terminal,
): Promise<void> {
  if (said.kind === 'notice') return;
  const reply = await awaitReply(client, enc(room), said.message, options.waitReply ?? 0);
  if (options.json) printJson(terminal, reply.raw);
  else terminal.out(reply.text);
}

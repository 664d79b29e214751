import { randomUUID } from 'node:crypto';
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
  const { text, isPiped } = await readText(words, files.length > 0, terminal);
  await withClient(options, terminal, async (client) => {
    const persistence = new Persistence(client.clock, options.retry);
    const draft = draftOf(text, { ...options, isPiped });
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

interface SpokenText {
  readonly text: string;
  readonly isPiped: boolean;
}

async function readText(words: readonly string[], hasFiles: boolean, terminal: Terminal): Promise<SpokenText> {
  if (words.length > 0) return { text: words.join(' '), isPiped: false };
  // With files no text is asked for.
  if (terminal.isTyped || hasFiles) {
    if (hasFiles) return { text: '', isPiped: false };
    throw new CommandError(
      'write the text, or pipe it in: make test 2>&1 | opsdeck rooms say ci --code',
      ExitCode.usage,
    );
  }
  // Colour sequences of programs are removed.
  const text = stripVTControlCharacters(await terminal.stdin())
    .replaceAll('\0', '')
    .trimEnd();
  if (text === '') throw new CommandError('standard input was empty: there is nothing to say', ExitCode.usage);
  if (text.includes('\uFFFD')) terminal.err('say: bytes of the input that are no UTF-8 are shown as \uFFFD\n');
  return { text, isPiped: true };
}

interface Draft {
  readonly body: string;
  /** The whole text, if it is too long for a message. */
  readonly attachment?: Attachment;
}

function draftOf(text: string, options: SayOptions & { readonly isPiped: boolean }): Draft {
  const { code, maxBody, isPiped } = options;
  const language = typeof code === 'string' ? code : '';
  const whole = code === undefined ? (isPiped ? escapeCommand(text) : text) : fenceText(text, language);
  if (Buffer.byteLength(whole) <= maxBody) return { body: whole };
  return { body: shortenText(text, language, maxBody), attachment: attachmentOf('output.txt', Buffer.from(text)) };
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

import { createHash } from 'node:crypto';
import { closeSync, createReadStream, fsyncSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import type { Readable } from 'node:stream';
import * as v from 'valibot';
import { CommandError, ExitCode, messageOf, systemCodeOf } from '../../../kernel/errors.ts';
import { printable } from '../../../kernel/terminal/printable.ts';
import type { Terminal } from '../../../kernel/terminal/terminal.ts';
import { type RoomsClient, withClient } from '../client.ts';
import type { ConnectionOptions } from '../connection.ts';
import { printJson } from '../output.ts';
import { enc } from '../wire.ts';

export interface ExportOptions extends ConnectionOptions {
  readonly format: string;
  /** Includes the bytes of attachments. */
  readonly files?: boolean;
  readonly from?: string;
  readonly to?: string;
  readonly output?: string;
}

/** `rooms export`: to standard output, or into a file, which is complete or not written at all. */
export async function exportRoom(room: string, options: ExportOptions, terminal: Terminal): Promise<void> {
  const { format, files, from, to, output } = options;
  const query = new URLSearchParams({ format });
  if (files) query.set('files', 'true');
  if (from !== undefined) query.set('from', from);
  if (to !== undefined) query.set('to', to);
  await withClient(options, terminal, async (client) => {
    const response = await client.open('GET', `/api/room/${enc(room)}/export?${query}`);
    const pieces = client.read(response, options.timeout);
    if (output === undefined) return copyOut(pieces, format, terminal);
    await copyToFile(pieces, format, output);
    if (options.json) printJson(terminal, { file: output, bytes: statSync(output).size });
  });
}

async function copyOut(pieces: AsyncIterable<Uint8Array>, format: string, terminal: Terminal): Promise<void> {
  const check = new ExportCheck(format);
  const decoder = new TextDecoder();
  for await (const piece of pieces) {
    check.take(piece);
    const text = decoder.decode(piece, { stream: true });
    // Texts are written unchanged into a file or pipe.
    terminal.out(terminal.isSeen ? text.replace(/[^\n\t]+/g, printable) : text);
  }
  check.end();
}

async function copyToFile(pieces: AsyncIterable<Uint8Array>, format: string, path: string): Promise<void> {
  const draft = `${path}.${process.pid}.new`;
  const check = new ExportCheck(format);
  let descriptor: number | undefined;
  try {
    descriptor = openSync(draft, 'wx', 0o600);
    for await (const piece of pieces) {
      check.take(piece);
      writeSync(descriptor, piece);
    }
    check.end();
    fsyncSync(descriptor);
    closeSync(descriptor);
    descriptor = undefined;
    renameSync(draft, path);
  } catch (error) {
    if (descriptor !== undefined) closeSync(descriptor);
    rmSync(draft, { force: true });
    throw error instanceof CommandError ? error : new CommandError(`cannot write ${path}: ${messageOf(error)}`);
  }
}

/** Whether an export is complete: its last line holds the checksum of all others. */
class ExportCheck {
  readonly #isLines: boolean;
  readonly #hash = createHash('sha256');
  #rest: Buffer = Buffer.alloc(0);

  constructor(format: string) {
    this.#isLines = format === 'jsonl';
  }

  take(piece: Uint8Array): void {
    if (!this.#isLines) return;
    const all = Buffer.concat([this.#rest, piece]);
    // The last line, complete or not, may be the end.
    const cut = all.lastIndexOf(0x0a, all.length - 2) + 1;
    this.#hash.update(all.subarray(0, cut));
    this.#rest = all.subarray(cut);
  }

  end(): void {
    if (!this.#isLines) return;
    if (readEnd(this.#rest.toString()) !== this.#hash.digest('hex'))
      throw new CommandError('the export broke off: its last lines are missing; export once more');
  }
}

function readEnd(line: string): string | undefined {
  try {
    const end = JSON.parse(line) as { readonly kind?: unknown; readonly sha256?: unknown };
    return end.kind === 'end' && typeof end.sha256 === 'string' ? end.sha256 : undefined;
  } catch {
    return undefined;
  }
}

const reportSchema = v.looseObject({
  rooms: v.number(),
  messages: v.number(),
  skipped: v.number(),
  files: v.optional(v.number(), 0),
  missingFiles: v.optional(v.number(), 0),
});
/** A large import takes the server some time after the last byte. */
const IMPORT_TIMEOUT_MS = 3_600_000;

/** `rooms import`: of a file, or of standard input as `-`. */
export async function importRooms(path: string, options: ConnectionOptions, terminal: Terminal): Promise<void> {
  const body = path === '-' ? terminal.stdinStream() : openInput(path);
  await withClient(options, terminal, async (client) => {
    const report = await send(client, body);
    if (report.missingFiles > 0)
      terminal.err(
        `import: ${report.missingFiles} attachments were left out: their files are neither in the export (export --files) nor on this server\n`,
      );
    if (options.json) return printJson(terminal, report);
    terminal.out(
      `${report.rooms} rooms, ${report.messages} messages and ${report.files} files came in, ${report.skipped} messages were there already\n`,
    );
  });
}

async function send(client: RoomsClient, body: Readable): Promise<v.InferOutput<typeof reportSchema>> {
  const headers = { 'content-type': 'application/x-ndjson' };
  const answer = await client.send('POST', '/api/import', { body, headers, timeoutMs: IMPORT_TIMEOUT_MS });
  return client.parse(answer, reportSchema);
}

function openInput(path: string): Readable {
  try {
    if (!statSync(path).isFile()) throw new Error('it is no file');
    return createReadStream(path);
  } catch (error) {
    throw new CommandError(`cannot read ${path}: ${systemCodeOf(error) ?? messageOf(error)}`, ExitCode.usage);
  }
}

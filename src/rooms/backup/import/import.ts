import type { FileHandle } from 'node:fs/promises';
import { openUnnamedFile } from '../../../kernel/storage/unnamed-file.ts';
import type { ExportLine, MemberLine, RoomLine } from '../../contract/export/line.ts';
import type { Caller } from '../../domain/caller.ts';
import type { FileRef } from '../../domain/file/file.ts';
import type { Message } from '../../domain/message/message.ts';
import { accepted, type Outcome, refuse } from '../../domain/refusal.ts';
import { type ImportedRoom, importMessages, importRoom } from '../../domain/room/import.ts';
import type { SlugContext } from '../../domain/room/slug.ts';
import { diskFull, writeAll } from '../../files/contents/upload.ts';
import type { FileStore } from '../../files/file-store.ts';
import type { RoomWriter } from '../../room/writer.ts';
import type { RoomStore } from '../../store/store.ts';
import { ExportCheck, type Foreseen, parseLine } from './check.ts';
import { LineSplitter, linesOf } from './lines.ts';
import type { JoinPlaces } from './places.ts';

export interface RoomImportParts {
  /** Holds an import until it has been checked. */
  readonly folder: string;
  readonly store: Pick<RoomStore, 'files'>;
  readonly files: Pick<FileStore, 'restore'>;
  readonly writer: Pick<RoomWriter, 'submit'>;
  readonly context: SlugContext;
}

export interface ImportReport {
  readonly rooms: number;
  readonly messages: number;
  /** Existing already, removed by retention, or of a room that was deleted here. */
  readonly skipped: number;
  /** Without those that existed already. */
  readonly files: number;
  /** Attachments left out, since their files are not here. */
  readonly missingFiles: number;
}

/** With the files of a room, as base64. */
const MAX_BYTES = 64 * 2 ** 30;
/** The longest line: a message with each byte written as `\u00xx`, and its card. */
const MAX_LINE_BYTES = 2 * 2 ** 20;
/** Messages per commit. */
const PART = 100;

/** Imports exports. Nothing is written before the whole export has been read and its checksum is right. */
export class RoomImport {
  readonly #parts: RoomImportParts;

  constructor(parts: RoomImportParts) {
    this.#parts = parts;
  }

  async take(caller: Caller, bytes: AsyncIterable<Uint8Array>): Promise<Outcome<ImportReport>> {
    const file = await openUnnamedFile(this.#parts.folder);
    try {
      const spooled = await spool(bytes, file);
      return spooled.ok ? await this.#bringIn(caller, file, spooled.value) : spooled;
    } finally {
      await file.close();
    }
  }

  async #bringIn(caller: Caller, file: FileHandle, foreseen: Foreseen): Promise<Outcome<ImportReport>> {
    const { writer, context, store, files } = this.#parts;
    const report = { rooms: 0, messages: 0, skipped: 0, files: 0, missingFiles: 0 };
    for await (const item of itemsOf(file, foreseen)) {
      if ('file' in item) {
        const stored = await files.restore(item.file, item.bytes);
        if (!stored.ok) return stored;
        if (stored.value === 'stored') report.files++;
        continue;
      }
      const { head, messages } = item;
      if (head) {
        const room = await writer.submit(importRoom(caller, head, context));
        if (!room.ok) return room;
        if (room.value === 'created') report.rooms++;
      }
      const [first] = messages;
      if (!first) continue;
      const ids = messages.flatMap(({ attachments }) => attachments.map(({ id }) => id));
      const found = ids.length === 0 ? [] : await store.files(ids);
      const here = new Set(found.map(({ id }) => id));
      const counts = await writer.submit(importMessages(first.roomId, messages, here));
      if (!counts.ok) return counts;
      report.messages += counts.value.added;
      report.skipped += counts.value.skipped;
      report.missingFiles += counts.value.missingFiles;
    }
    return accepted(report);
  }
}

/** Writes an export into a file, and checks it meanwhile. */
async function spool(bytes: AsyncIterable<Uint8Array>, file: FileHandle): Promise<Outcome<Foreseen>> {
  const check = new ExportCheck();
  const lines = new LineSplitter();
  let size = 0;
  try {
    for await (const chunk of bytes) {
      size += chunk.length;
      if (size > MAX_BYTES) return refuse('too_large', `an import may have at most ${MAX_BYTES} bytes`);
      for (const line of lines.push(chunk)) {
        const refusal = check.take(line);
        if (refusal) return refusal;
      }
      if (lines.restBytes > MAX_LINE_BYTES) return refuse('too_large', `line ${check.line + 1}: it is too long`);
      await writeAll(file, chunk);
    }
  } catch (error) {
    return diskFull(error) ?? refuse('invalid_body', 'the body broke off');
  }
  if (lines.restBytes > 0) return refuse('invalid_body', 'the last line has no end: the export is not whole');
  return check.end();
}

/** The lines of one commit. */
interface Group {
  readonly head: ImportedRoom | undefined;
  /** Of one room. */
  readonly messages: readonly Message[];
}

/** A file before its message. Its bytes must be read before the next item, or not at all. */
interface StoredBytes {
  readonly file: FileRef;
  readonly bytes: AsyncIterable<Uint8Array>;
}

async function* itemsOf(file: FileHandle, { corrections, places }: Foreseen): AsyncGenerator<Group | StoredBytes> {
  let room: RoomLine | undefined;
  let members: MemberLine[] = [];
  let messages: Message[] = [];
  let lastSeq = 0;
  const flush = (): Group => {
    const group = { head: room && headOf(room, members, places), messages };
    room = undefined;
    members = [];
    messages = [];
    return group;
  };
  const lines = readLines(file);
  for await (const line of lines) {
    if (line.kind === 'file') {
      yield flush();
      yield { file: line.file, bytes: bytesOf(lines, line.file.size) };
    } else if (line.kind === 'room') {
      yield flush();
      room = line.room;
      lastSeq = 0;
    } else if (line.kind === 'member') members.push(line);
    else if (line.kind === 'message' && line.message.seq > lastSeq) {
      lastSeq = line.message.seq;
      messages.push(corrections.get(line.message.id) ?? line.message);
      if (messages.length === PART) yield flush();
    }
  }
  yield flush();
}

/** The lines of an export that was checked before. */
async function* readLines(file: FileHandle): AsyncGenerator<ExportLine> {
  for await (const bytes of linesOf(file)) {
    const parsed = parseLine(bytes.toString());
    if (!parsed.ok) throw new Error(`what was read before reads differently now: ${parsed.reason}`);
    yield parsed.value;
  }
}

/** The bytes of a file, of the pieces that follow it. */
async function* bytesOf(lines: AsyncIterator<ExportLine>, size: number): AsyncGenerator<Uint8Array> {
  for (let left = size; left > 0; ) {
    const { value } = await lines.next();
    if (value?.kind !== 'piece') throw new Error('what was read before reads differently now: a file has lost its end');
    const bytes = Buffer.from(value.data, 'base64');
    left -= bytes.length;
    yield bytes;
  }
}

function headOf(room: RoomLine, members: readonly MemberLine[], places: JoinPlaces): ImportedRoom {
  const joined = members.map(({ member, user }) => {
    return { ...member, joinedSeq: places.placeOf(room.id, member.joinedSeq), user };
  });
  return { ...room, members: joined };
}

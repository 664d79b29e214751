import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { makePrivateFolder } from '../../kernel/storage/private-file.ts';
import { type ExportLine, exportLineSchema, type MemberLine, type RoomLine } from '../contract/export/line.ts';
import type { Caller } from '../domain/caller.ts';
import { checkCard } from '../domain/card/message-card.ts';
import type { Message } from '../domain/message/message.ts';
import { accepted, type Outcome, type Refusal, refuse } from '../domain/refusal.ts';
import { type ImportedRoom, importMessages, importRoom } from '../domain/room/import.ts';
import type { SlugContext } from '../domain/room/slug.ts';
import type { RoomWriter } from '../room/writer.ts';
import type { RoomStore } from '../store/store.ts';
import { JoinPlaces } from './import-places.ts';

export interface RoomImportParts {
  /** Holds an import until it has been checked. */
  readonly folder: string;
  readonly store: Pick<RoomStore, 'files'>;
  readonly writer: Pick<RoomWriter, 'submit'>;
  readonly context: SlugContext;
  readonly newId: () => string;
}

export interface ImportReport {
  readonly rooms: number;
  readonly messages: number;
  /** Existing already, removed by retention, or of a room that was deleted here. */
  readonly skipped: number;
  /** Attachments left out, since their files are not here. */
  readonly missingFiles: number;
}

const MAX_BYTES = 4 * 2 ** 30;
/** The longest line: a message with each byte written as `\u00xx`, and its card. */
const MAX_LINE_BYTES = 2 * 2 ** 20;
/** Messages per commit. */
const PART = 100;
const NEWLINE = 0x0a;

/** Imports exports. Nothing is written before the whole export has been read and its checksum is right. */
export class RoomImport {
  readonly #parts: RoomImportParts;

  constructor(parts: RoomImportParts) {
    this.#parts = parts;
  }

  async take(caller: Caller, bytes: AsyncIterable<Uint8Array>): Promise<Outcome<ImportReport>> {
    const { folder, newId } = this.#parts;
    makePrivateFolder(folder);
    const path = join(folder, `${newId()}.jsonl`);
    const file = await open(path, 'wx', 0o600);
    try {
      const spooled = await spool(bytes, file).finally(() => file.close());
      return spooled.ok ? await this.#bringIn(caller, path, spooled.value) : spooled;
    } finally {
      await rm(path, { force: true });
    }
  }

  async #bringIn(caller: Caller, path: string, foreseen: Foreseen): Promise<Outcome<ImportReport>> {
    const { writer, context } = this.#parts;
    const report = { rooms: 0, messages: 0, skipped: 0, missingFiles: 0 };
    for await (const { head, messages } of groupsOf(path, foreseen)) {
      if (head) {
        const room = await writer.submit(importRoom(caller, head, context));
        if (!room.ok) return room;
        if (room.value === 'created') report.rooms++;
      }
      const [first] = messages;
      if (!first) continue;
      const ids = messages.flatMap(({ attachments }) => attachments.map(({ id }) => id));
      const files = ids.length === 0 ? [] : await this.#parts.store.files(ids);
      const here = new Set(files.map(({ id }) => id));
      const counts = await writer.submit(importMessages(first.roomId, messages, here));
      if (!counts.ok) return counts;
      report.messages += counts.value.added;
      report.skipped += counts.value.skipped;
      report.missingFiles += counts.value.missingFiles;
    }
    return accepted(report);
  }
}

/** Facts that only the end of the export reveals. */
interface Foreseen {
  /** Messages repeated at the end of their room, by id: they changed while the export was written. */
  readonly corrections: ReadonlyMap<string, Message>;
  readonly places: JoinPlaces;
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
      await file.write(chunk);
    }
  } catch {
    return refuse('invalid_body', 'the body broke off');
  }
  if (lines.restBytes > 0) return refuse('invalid_body', 'the last line has no end: the export is not whole');
  return check.end();
}

/** Splits bytes at line feeds only: texts may hold other line separators. */
class LineSplitter {
  #rest: Buffer = Buffer.alloc(0);

  get restBytes(): number {
    return this.#rest.length;
  }

  /** The complete lines, with their line feeds. */
  push(chunk: Uint8Array): readonly Buffer[] {
    const lines: Buffer[] = [];
    let rest = this.#rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#rest, chunk]);
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      lines.push(rest.subarray(0, end + 1));
      rest = rest.subarray(end + 1);
    }
    this.#rest = rest;
    return lines;
  }
}

/** Checks every line, and describes the first invalid one. */
class ExportCheck {
  line = 0;
  readonly #hash = createHash('sha256');
  readonly #corrections = new Map<string, Message>();
  readonly #places = new JoinPlaces();
  readonly #rooms = new Set<string>();
  #room: RoomLine | undefined;
  #lastSeq = 0;
  #messages = 0;
  #isOver = false;

  take(bytes: Uint8Array): Refusal | undefined {
    this.line++;
    if (this.#isOver) return this.#refuse('nothing may follow the end');
    const parsed = parseLine(Buffer.from(bytes).toString());
    if (!parsed.ok) return this.#refuse(parsed.reason);
    const line = parsed.value;
    if ((this.line === 1) !== (line.kind === 'header')) return this.#refuse('an export begins with one header');
    if (line.kind === 'end') return this.#end(line);
    this.#hash.update(bytes);
    if (line.kind === 'room') return this.#begin(line.room);
    if (line.kind === 'member') return this.#member(line);
    return line.kind === 'message' ? this.#message(line.message) : undefined;
  }

  end(): Outcome<Foreseen> {
    return this.#isOver
      ? accepted({ corrections: this.#corrections, places: this.#places })
      : refuse('invalid_body', 'the export is not whole: it has no line of the kind "end"');
  }

  #begin(room: RoomLine): Refusal | undefined {
    if (this.#rooms.has(room.id)) return this.#refuse('the room has come before');
    this.#rooms.add(room.id);
    this.#room = room;
    this.#lastSeq = 0;
    return undefined;
  }

  #member({ roomId, member }: MemberLine): Refusal | undefined {
    if (roomId !== this.#room?.id || this.#lastSeq > 0) return this.#refuse('a member must follow its room');
    this.#places.join(roomId, member.joinedSeq);
    return undefined;
  }

  #message(message: Message): Refusal | undefined {
    if (message.roomId !== this.#room?.id) return this.#refuse('a message must follow its room');
    const tooMuch = checkCard(message.card);
    if (tooMuch) return this.#refuse(tooMuch.reason);
    if (message.seq <= this.#lastSeq) this.#corrections.set(message.id, message);
    else {
      this.#messages++;
      this.#places.pass(message.roomId, message.seq);
    }
    this.#lastSeq = Math.max(this.#lastSeq, message.seq);
    return undefined;
  }

  #end({ messages, sha256 }: Extract<ExportLine, { kind: 'end' }>): Refusal | undefined {
    this.#isOver = true;
    if (this.#hash.digest('hex') !== sha256)
      return this.#refuse('the checksum is wrong: the export was changed or damaged');
    return messages === this.#messages
      ? undefined
      : this.#refuse(`it should have ${messages} messages, not ${this.#messages}`);
  }

  #refuse(reason: string): Refusal {
    return refuse('invalid_body', `line ${this.line}: ${reason}`);
  }
}

function parseLine(text: string): Outcome<ExportLine> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return refuse('invalid_json', `not JSON: ${(error as Error).message}`);
  }
  const parsed = v.safeParse(exportLineSchema, json, { abortEarly: true });
  if (parsed.success) return accepted(parsed.output);
  const [issue] = parsed.issues;
  return refuse('invalid_body', `${v.getDotPath(issue) ?? ''}: ${issue.message}`);
}

/** The lines of one commit. */
interface Group {
  readonly head: ImportedRoom | undefined;
  /** Of one room. */
  readonly messages: readonly Message[];
}

async function* groupsOf(path: string, { corrections, places }: Foreseen): AsyncGenerator<Group> {
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
  for await (const bytes of linesOf(path)) {
    const parsed = parseLine(bytes.toString());
    if (!parsed.ok) throw new Error(`what was read before reads differently now: ${parsed.reason}`);
    const line = parsed.value;
    if (line.kind === 'room') {
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

async function* linesOf(path: string): AsyncGenerator<Buffer> {
  const lines = new LineSplitter();
  for await (const chunk of createReadStream(path)) yield* lines.push(chunk as Buffer);
}

function headOf(room: RoomLine, members: readonly MemberLine[], places: JoinPlaces): ImportedRoom {
  const joined = members.map(({ member, user }) => {
    return { ...member, joinedSeq: places.placeOf(room.id, member.joinedSeq), user };
  });
  return { ...room, members: joined };
}

import { createHash, type Hash } from 'node:crypto';
import * as v from 'valibot';
import { type ExportLine, exportLineSchema, type MemberLine, type RoomLine } from '../../contract/export/line.ts';
import { checkCard } from '../../domain/card/message-card.ts';
import type { FileRef } from '../../domain/file/file.ts';
import type { Message } from '../../domain/message/message.ts';
import { accepted, type Outcome, type Refusal, refuse } from '../../domain/refusal.ts';
import { JoinPlaces } from './places.ts';

/** Facts that only the end of the export reveals. */
export interface Foreseen {
  /** Messages repeated at the end of their room, by id: they changed while the export was written. */
  readonly corrections: ReadonlyMap<string, Message>;
  readonly places: JoinPlaces;
}

/** Checks every line, and describes the first invalid one. */
export class ExportCheck {
  line = 0;
  readonly #hash = createHash('sha256');
  readonly #corrections = new Map<string, Message>();
  readonly #places = new JoinPlaces();
  readonly #rooms = new Set<string>();
  #room: RoomLine | undefined;
  #lastSeq = 0;
  #messages = 0;
  #isOver = false;
  #file: { readonly of: FileRef; readonly hash: Hash; left: number } | undefined;

  take(bytes: Uint8Array): Refusal | undefined {
    this.line++;
    if (this.#isOver) return this.#refuse('nothing may follow the end');
    const parsed = parseLine(Buffer.from(bytes).toString());
    if (!parsed.ok) return this.#refuse(parsed.reason);
    const line = parsed.value;
    if ((this.line === 1) !== (line.kind === 'header')) return this.#refuse('an export begins with one header');
    if (line.kind === 'end' && !this.#file) return this.#end(line);
    this.#hash.update(bytes);
    if (line.kind === 'piece') return this.#piece(line.data);
    if (this.#file) return this.#refuse(`the file ${this.#file.of.id} is not whole`);
    if (line.kind === 'file') return this.#beginFile(line.file);
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

  #beginFile(file: FileRef): Refusal | undefined {
    if (!this.#room) return this.#refuse('a file must follow its room');
    this.#file = { of: file, hash: createHash('sha256'), left: file.size };
    return file.size === 0 ? this.#endFile() : undefined;
  }

  #piece(data: string): Refusal | undefined {
    if (!this.#file) return this.#refuse('a piece must follow its file');
    const bytes = Buffer.from(data, 'base64');
    this.#file.hash.update(bytes);
    this.#file.left -= bytes.length;
    return this.#file.left > 0 ? undefined : this.#endFile();
  }

  #endFile(): Refusal | undefined {
    const { of, hash } = this.#file ?? {};
    this.#file = undefined;
    return hash?.digest('hex') === of?.sha256
      ? undefined
      : this.#refuse(`the file ${of?.id} has not its checksum: it was changed or damaged`);
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

/** Reads a line of an export. */
export function parseLine(text: string): Outcome<ExportLine> {
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

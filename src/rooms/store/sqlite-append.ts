import type { SqlValue, Statement } from '../../kernel/database.ts';
import { printMessageEvent } from '../contract/event.ts';
import { printMessage } from '../contract/message.ts';
import type { Committed, EventDraft, MessageDraft, RoomEvent } from '../domain/event.ts';
import type { Message } from '../domain/message.ts';
import type { PreparedEvent, PreparedWrite } from './room-store.ts';
import { hashValue, keyText, type RoomNumbers } from './sqlite-rows.ts';
import { placeOf, setMeta, typeCode } from './sqlite-schema.ts';

/** The user of a mention of everybody: no user's id begins like that. */
export const EVERYBODY = '@all';

/** Where the store stands before a commit. */
export interface Standing {
  readonly numberOf: RoomNumbers['numberOf'];
  readonly pos: number;
  lastSeqOf(room: number): number;
  readonly nextRoom: number;
}

/** Bytes go into the engine four times as fast as a text does. */
const INSERT_EVENT = 'INSERT INTO event VALUES (?, ?, ?, ?, ?, CAST(? AS TEXT))';
const INSERT_MESSAGE = 'INSERT INTO message VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)';

/** Gives the writes of one commit their places, and says what it puts into the tables. */
export class AppendPlan {
  readonly statements: Statement[] = [];
  /** By id. */
  readonly newRooms = new Map<string, number>();
  readonly lastSeqs = new Map<number, number>();
  readonly #standing: Standing;
  pos: number;

  constructor(standing: Standing) {
    this.#standing = standing;
    this.pos = standing.pos;
  }

  /** Answers what the events of the write are once it is committed. */
  add(write: PreparedWrite): readonly Committed[] {
    const committed = write.events.map((event) => this.#addEvent(event));
    for (const { kind, key, value } of write.records ?? []) {
      if (value === null) this.#put('DELETE FROM record WHERE kind = ? AND key = ?', kind, keyText(key));
      else this.#put('INSERT OR REPLACE INTO record VALUES (?, ?, ?)', kind, keyText(key), JSON.stringify(value));
    }
    for (const edit of write.edits ?? []) {
      const sql = 'INSERT OR REPLACE INTO edit SELECT place, ?, ? FROM message WHERE id = ?';
      this.#put(sql, edit.version, JSON.stringify(edit), edit.messageId);
    }
    for (const run of write.runs ?? []) {
      const ended = run.state === 'queued' || run.state === 'running' ? 0 : 1;
      const sql = 'INSERT OR REPLACE INTO run VALUES (?, ?, ?, ?)';
      this.#put(sql, keyText(run.id), this.#roomNumber(run.roomId), ended, JSON.stringify(run));
    }
    for (const file of write.files ?? []) {
      const sql = 'INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?)';
      this.#put(sql, keyText(file.id), file.sha256, file.createdAt, JSON.stringify(file));
    }
    for (const entry of write.audit ?? []) this.#put('INSERT INTO audit (data) VALUES (?)', JSON.stringify(entry));
    return committed;
  }

  #put(sql: string, ...values: readonly SqlValue[]): void {
    this.statements.push({ sql, values });
  }

  #addEvent({ draft, body }: PreparedEvent): Committed {
    const pos = ++this.pos;
    const room = draft.roomId === null ? 0 : this.#roomNumber(draft.roomId);
    const { event, seq } = this.#place(draft, room);
    const text = body ?? printBody(event);
    const audience = draft.audience === undefined ? null : keyText(draft.audience);
    this.#put(INSERT_EVENT, pos, typeCode(event.type), room, seq, audience, Buffer.from(text));
    if (draft.type === 'message.created') this.#createMessage(draft, placeOf(room, seq), pos);
    else if ('message' in draft) this.#changeMessage(draft, room, pos);
    return { pos, event, data: `{"pos":${pos},${text}` };
  }

  #place(draft: EventDraft, room: number): { readonly event: RoomEvent; readonly seq: number } {
    if (draft.type !== 'message.created') return { event: draft, seq: 'message' in draft ? draft.message.seq : 0 };
    const seq = (this.lastSeqs.get(room) ?? this.#standing.lastSeqOf(room)) + 1;
    this.lastSeqs.set(room, seq);
    const { type, roomId, message, audience } = draft;
    const event = { type, roomId, message: { ...message, seq } };
    return { event: audience === undefined ? event : { ...event, audience }, seq };
  }

  #createMessage({ message, contentHash }: MessageDraft, place: number, pos: number): void {
    const { id, author, type, threadId, createdAt } = message;
    const hidden = Number(message.silent || message.deleted);
    const hash = hashValue(contentHash);
    this.#put(INSERT_MESSAGE, place, id, pos, pos, keyText(author.id), type, threadId, hidden, hash, createdAt);
    this.#refer(message, place);
  }

  #changeMessage(draft: Extract<EventDraft, { message: Message }>, room: number, pos: number): void {
    const { message, type } = draft;
    const place = placeOf(room, message.seq);
    this.#put(
      'UPDATE message SET last = ?, hidden = ? WHERE place = ?',
      pos,
      Number(message.silent || message.deleted),
      place,
    );
    switch (type) {
      case 'reaction.added':
        this.#put(
          'INSERT OR IGNORE INTO reaction VALUES (?, ?, ?)',
          place,
          keyText(draft.emoji),
          keyText(draft.userId),
        );
        break;
      case 'reaction.removed': {
        const sql = 'DELETE FROM reaction WHERE place = ? AND emoji = ? AND user = ?';
        this.#put(sql, place, keyText(draft.emoji), keyText(draft.userId));
        break;
      }
      case 'message.deleted':
        this.#scrub(message, room, pos);
        break;
      case 'message.updated':
      case 'alert.updated':
        this.#put('DELETE FROM mention WHERE place = ?', place);
        this.#put('DELETE FROM file_use WHERE place = ?', place);
        this.#refer(message, place);
        break;
    }
  }

  /** What a tombstone stands for is said nowhere any more: older events of the message hold the tombstone as well. */
  #scrub(message: Message, room: number, pos: number): void {
    const place = placeOf(room, message.seq);
    for (const table of ['mention', 'file_use', 'edit', 'reaction'])
      this.#put(`DELETE FROM ${table} WHERE place = ?`, place);
    const json = `${printMessage(message)}}`;
    const set = `UPDATE event SET data = substr(data, 1, instr(data, '"message":') + 9) || ?`;
    this.#put(`${set} WHERE room = ? AND seq = ? AND seq > 0 AND type <> 1 AND pos < ?`, json, room, message.seq, pos);
    this.#put(`${set} WHERE pos = (SELECT first FROM message WHERE place = ?) AND pos < ?`, json, place, pos);
  }

  #refer({ mentions, attachments }: Omit<Message, 'seq'>, place: number): void {
    for (const user of mentions.users) this.#put('INSERT OR IGNORE INTO mention VALUES (?, ?)', keyText(user), place);
    if (mentions.room) this.#put('INSERT OR IGNORE INTO mention VALUES (?, ?)', EVERYBODY, place);
    for (const { id } of attachments) this.#put('INSERT OR IGNORE INTO file_use VALUES (?, ?)', keyText(id), place);
  }

  #roomNumber(roomId: string): number {
    const known = this.#standing.numberOf(roomId) ?? this.newRooms.get(roomId);
    if (known !== undefined) return known;
    const number = this.#standing.nextRoom + this.newRooms.size;
    this.newRooms.set(roomId, number);
    this.#put('INSERT INTO room VALUES (?, ?, 0, NULL)', number, roomId);
    this.#put(setMeta('nextRoom', number + 1).sql, 'nextRoom', number + 1);
    return number;
  }
}

function printBody(event: RoomEvent): string {
  if ('message' in event) return printMessageEvent(event);
  throw new Error(`an event of the type ${event.type} came without its text`);
}

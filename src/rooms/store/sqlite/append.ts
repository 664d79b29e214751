import type { SqlValue, Statement } from '../../../kernel/storage/database.ts';
import { messageJsonOf, printMessage, readMessage } from '../../contract/message-json.ts';
import type { Message } from '../../domain/message/message.ts';
import { typeCode } from '../event-types.ts';
import type { PlacedEvent, PlacedWrite } from '../store-entry.ts';
import { RowBatch, tableRows } from './row-batch.ts';
import { hashValue, keyText, type RoomNumbers } from './rows.ts';
import { placeOf, setMeta } from './schema.ts';
import { isIndexed, type SaidEvent } from './search-texts.ts';

/** The user of an `@all` mention; no user's id begins like that. */
export const EVERYBODY = '@all';

/** The state of the tables before a commit. */
export interface KnownRooms {
  readonly numberOf: RoomNumbers['numberOf'];
  readonly nextRoom: number;
}

/** SQLite takes bytes four times as fast as text. */
const EVENTS = tableRows('event', '(?, ?, ?, ?, ?, CAST(? AS TEXT))');
const MESSAGES = tableRows('message', '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');

/** The position of a message's event. */
interface ToldMessage {
  readonly event: PlacedEvent;
  readonly message: Message;
  readonly room: number;
  readonly pos: number;
}

/** Builds the statements of placed commits. */
export class AppendPlan {
  readonly #statements: Statement[] = [];
  /** Batched inserts; other statements may depend on them, and follow them. */
  readonly #events = new RowBatch(EVENTS);
  readonly #messages = new RowBatch(MESSAGES);
  /** By id. */
  readonly newRooms = new Map<string, number>();
  readonly lastSeqs = new Map<number, number>();
  /** For the search index. */
  readonly said: SaidEvent[] = [];
  readonly #known: KnownRooms;
  /** The last position. */
  pos = 0;

  constructor(known: KnownRooms) {
    this.#known = known;
  }

  /** The amount to be written. */
  get size(): number {
    return this.#statements.length + this.#events.length + this.#messages.length;
  }

  /** The statements to run. */
  get statements(): readonly Statement[] {
    this.#putRows();
    return this.#statements;
  }

  /** `after`: the position before the first event. */
  add(after: number, writes: readonly PlacedWrite[]): void {
    this.pos = after;
    for (const write of writes) {
      for (const event of write.events) this.#addEvent(event, ++this.pos);
      this.#addParts(write);
    }
  }

  #addParts({ records = [], edits = [], runs = [], files = [], audit = [] }: PlacedWrite): void {
    for (const { kind, key, value } of records) {
      if (value === null) this.#put('DELETE FROM record WHERE kind = ? AND key = ?', kind, keyText(key));
      else this.#put('INSERT OR REPLACE INTO record VALUES (?, ?, ?)', kind, keyText(key), JSON.stringify(value));
    }
    for (const edit of edits) {
      const sql = 'INSERT OR REPLACE INTO edit SELECT place, ?, ? FROM message WHERE id = ?';
      this.#put(sql, edit.version, JSON.stringify(edit), edit.messageId);
    }
    for (const run of runs) {
      const ended = run.state === 'queued' || run.state === 'running' ? 0 : 1;
      const sql = 'INSERT OR REPLACE INTO run VALUES (?, ?, ?, ?)';
      this.#put(sql, keyText(run.id), this.#roomNumber(run.roomId), ended, JSON.stringify(run));
    }
    for (const file of files) {
      const sql = 'INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?)';
      this.#put(sql, keyText(file.id), file.sha256, file.createdAt, JSON.stringify(file));
    }
    for (const entry of audit) this.#put('INSERT INTO audit (data) VALUES (?)', JSON.stringify(entry));
  }

  #put(sql: string, ...values: readonly SqlValue[]): void {
    this.#putRows();
    this.#statements.push({ sql, values });
  }

  #putRows(): void {
    this.#statements.push(...this.#events.take(), ...this.#messages.take());
  }

  #addEvent(event: PlacedEvent, pos: number): void {
    const { type, roomId, seq, audience, text } = event;
    const room = roomId === null ? 0 : this.#roomNumber(roomId);
    this.#events.add(pos, typeCode(type), room, seq, audience === null ? null : keyText(audience), text);
    if (seq === 0) return;
    const logged = { event, message: readMessage(messageJsonOf(text.toString())), room, pos };
    if (type === 'message.created') this.#createMessage(logged);
    else this.#changeMessage(logged);
    if (isIndexed(type)) this.said.push({ pos, room, message: logged.message, isNew: type === 'message.created' });
  }

  #createMessage({ event, message, room, pos }: ToldMessage): void {
    const { id, seq, author, type, threadId, createdAt } = message;
    const hidden = Number(message.silent || message.deleted);
    const hash = event.hash === null ? '' : hashValue(event.hash);
    const place = placeOf(room, seq);
    this.lastSeqs.set(room, seq);
    this.#messages.add(place, id, pos, pos, keyText(author.id), type, threadId, hidden, hash, createdAt);
    this.#refer(message, place);
  }

  #changeMessage({ event: { type, text }, message, room, pos }: ToldMessage): void {
    const place = placeOf(room, message.seq);
    this.#put(
      'UPDATE message SET last = ?, hidden = ? WHERE place = ?',
      pos,
      Number(message.silent || message.deleted),
      place,
    );
    switch (type) {
      case 'reaction.added':
      case 'reaction.removed': {
        const { emoji, userId } = JSON.parse(`{${text}`) as { emoji: string; userId: string };
        const sql =
          type === 'reaction.added'
            ? 'INSERT OR IGNORE INTO reaction VALUES (?, ?, ?)'
            : 'DELETE FROM reaction WHERE place = ? AND emoji = ? AND user = ?';
        this.#put(sql, place, keyText(emoji), keyText(userId));
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

  /** A deleted text is erased: older events of the message get the tombstone as well. */
  #scrub(message: Message, room: number, pos: number): void {
    const place = placeOf(room, message.seq);
    for (const table of ['mention', 'file_use', 'edit', 'reaction'])
      this.#put(`DELETE FROM ${table} WHERE place = ?`, place);
    const json = `${printMessage(message)}}`;
    const set = `UPDATE event SET data = substr(data, 1, instr(data, '"message":') + 9) || ?`;
    this.#put(`${set} WHERE room = ? AND seq = ? AND seq > 0 AND type <> 1 AND pos < ?`, json, room, message.seq, pos);
    this.#put(`${set} WHERE pos = (SELECT first FROM message WHERE place = ?) AND pos < ?`, json, place, pos);
  }

  #refer({ mentions, attachments }: Message, place: number): void {
    for (const user of mentions.users) this.#put('INSERT OR IGNORE INTO mention VALUES (?, ?)', keyText(user), place);
    if (mentions.room) this.#put('INSERT OR IGNORE INTO mention VALUES (?, ?)', EVERYBODY, place);
    for (const { id } of attachments) this.#put('INSERT OR IGNORE INTO file_use VALUES (?, ?)', keyText(id), place);
  }

  #roomNumber(roomId: string): number {
    const known = this.#known.numberOf(roomId) ?? this.newRooms.get(roomId);
    if (known !== undefined) return known;
    const number = this.#known.nextRoom + this.newRooms.size;
    this.newRooms.set(roomId, number);
    this.#put('INSERT INTO room VALUES (?, ?, 0, NULL)', number, roomId);
    this.#put(setMeta('nextRoom', number + 1).sql, 'nextRoom', number + 1);
    return number;
  }
}

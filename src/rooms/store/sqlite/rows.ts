import type { Database, SqlRow, SqlValue, Statement } from '../../../kernel/storage/database.ts';
import { messageJsonOf } from '../../contract/message-json.ts';
import type { StoredText } from '../room-engine.ts';

/** The numbers that stand for rooms in the tables. */
export interface RoomNumbers {
  numberOf(roomId: string): number | undefined;
  idOf(number: number): string | undefined;
  roomCount(): number;
}

/** What the parts of the store read from. */
export interface Rows extends RoomNumbers {
  readonly query: Database['query'];
  /** What takes the texts of messages out of the index, by the positions of their creation. */
  readonly removeTexts: (positions: readonly number[]) => readonly Statement[];
}

/** The database takes no text with U+0000; nothing else that is stored as it is begins with a quote and holds an escape. */
export const keyText = (text: string): string => (text.includes('\0') ? JSON.stringify(text) : text);

/** What keyText has made of a text. */
export const textOfKey = (key: string): string =>
  key.startsWith('"') && key.includes('\\u0000') ? JSON.parse(key) : key;

const HEX = /^[0-9a-f]{64}$/;

/** A hash takes half the room as bytes. */
export const hashValue = (hash: string): SqlValue => (HEX.test(hash) ? Buffer.from(hash, 'hex') : hash);

export const hashText = (value: SqlValue | undefined): string =>
  value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value);

/** Columns `data`, of the message's last event, and `hash`. */
export const toStoredText = ({ data, hash }: SqlRow): StoredText => ({
  json: messageJsonOf(String(data)),
  contentHash: hashText(hash),
});

/** A list as one value, for `json_each(?)`. */
export const listValue = (values: readonly (string | number)[]): string => JSON.stringify(values);

/** The messages at a list of places, in its order, for toStoredText. */
export const READ_PLACES = `SELECT event.data, message.hash FROM json_each(?) AS wanted
  CROSS JOIN message ON message.place = wanted.value CROSS JOIN event ON event.pos = message.last`;

/** A row's JSON, in its column `data`. */
export const parseData = <T>({ data }: SqlRow): T => JSON.parse(String(data)) as T;

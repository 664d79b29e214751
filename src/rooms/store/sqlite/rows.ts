import type { Database, SqlRow, SqlValue, Statement } from '../../../kernel/storage/database.ts';
import { messageJsonOf } from '../../contract/message-json.ts';
import type { StoredText } from '../engine.ts';

/** The numbers of rooms in the tables. */
export interface RoomNumbers {
  numberOf(roomId: string): number | undefined;
  idOf(number: number): string | undefined;
  roomCount(): number;
}

/** Access to the tables for the parts of the engine. */
export interface Rows extends RoomNumbers {
  readonly query: Database['query'];
  /** Removes texts of messages from the index, by the positions of their creation. */
  readonly removeTexts: (positions: readonly number[]) => readonly Statement[];
}

/** SQLite takes no text with U+0000; such texts are stored as JSON, which begins with a quote. */
export const keyText = (text: string): string => (text.includes('\0') ? JSON.stringify(text) : text);

/** The reverse of keyText. */
export const textOfKey = (key: string): string =>
  key.startsWith('"') && key.includes('\\u0000') ? JSON.parse(key) : key;

const HEX = /^[0-9a-f]{64}$/;

/** A hash as bytes takes half the space. */
export const hashValue = (hash: string): SqlValue => (HEX.test(hash) ? Buffer.from(hash, 'hex') : hash);

export const hashText = (value: SqlValue | undefined): string =>
  value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value);

/** Columns `data`, of the message's last event, and `hash`. */
export const toStoredText = ({ data, hash }: SqlRow): StoredText => ({
  json: messageJsonOf(String(data)),
  contentHash: hashText(hash),
});

/** A list as one parameter, for `json_each(?)`. */
export const listValue = (values: readonly (string | number)[]): string => JSON.stringify(values);

/** The messages at a list of places, in its order, for toStoredText. */
export const READ_PLACES = `SELECT event.data, message.hash FROM json_each(?) AS wanted
  CROSS JOIN message ON message.place = wanted.value CROSS JOIN event ON event.pos = message.last`;

/** A row's JSON, from its column `data`. */
export const parseData = <T>({ data }: SqlRow): T => JSON.parse(String(data)) as T;

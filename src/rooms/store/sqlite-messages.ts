import type { ReactionKey } from '../domain/change.ts';
import type { Edit, StoredMessage } from '../domain/message.ts';
import { keyText, listValue, parseData, type Rows, toStoredMessage } from './sqlite-rows.ts';

/** See RoomStore; so the others. */
export async function readMessages(rows: Rows, ids: readonly string[]): Promise<readonly StoredMessage[]> {
  const sql = `SELECT event.data, message.hash FROM json_each(?) AS wanted
    CROSS JOIN message ON message.id = wanted.value CROSS JOIN event ON event.pos = message.last`;
  return (await rows.query(sql, [listValue(ids)])).map(toStoredMessage);
}

export async function readForgotten(rows: Rows, ids: readonly string[], now: number): Promise<readonly string[]> {
  const sql = 'SELECT id FROM forgotten WHERE id IN (SELECT value FROM json_each(?)) AND until > ?';
  return (await rows.query(sql, [listValue(ids), now])).map(({ id }) => String(id));
}

export async function readReacted(rows: Rows, keys: readonly ReactionKey[]): Promise<readonly ReactionKey[]> {
  const there: ReactionKey[] = [];
  for (const key of keys) {
    const sql = `SELECT 1 FROM reaction WHERE place = (SELECT place FROM message WHERE id = ?) AND emoji = ? AND user = ?`;
    const found = await rows.query(sql, [keyText(key.messageId), keyText(key.emoji), keyText(key.userId)]);
    if (found.length > 0) there.push(key);
  }
  return there;
}

export async function readEdits(rows: Rows, messageId: string): Promise<readonly Edit[]> {
  const sql = 'SELECT data FROM edit WHERE place = (SELECT place FROM message WHERE id = ?) ORDER BY version';
  return (await rows.query(sql, [keyText(messageId)])).map(parseData<Edit>);
}

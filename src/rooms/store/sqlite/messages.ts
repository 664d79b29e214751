import type { ReactionKey } from '../../domain/change.ts';
import type { Edit } from '../../domain/message/message.ts';
import type { StoredText } from '../engine.ts';
import { type IdBits, IdFilter } from '../id-filter.ts';
import { keyText, listValue, parseData, type Rows, toStoredText } from './rows.ts';

/** See RoomStore; also for the others. */
export async function readMessages(rows: Rows, ids: readonly string[]): Promise<readonly StoredText[]> {
  const sql = `SELECT event.data, message.hash FROM json_each(?) AS wanted
    CROSS JOIN message ON message.id = wanted.value CROSS JOIN event ON event.pos = message.last`;
  return (await rows.query(sql, [listValue(ids)])).map(toStoredText);
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

const IDS_A_TURN = 4_000;

/** See RoomEngine. Walks the index of ids in parts, so that other calls get their turn. */
export async function readIdBits(rows: Rows, pos: number): Promise<IdBits> {
  const filter = IdFilter.withRoom(pos * 2);
  for (const table of ['message', 'forgotten']) {
    const sql = `SELECT id FROM ${table} WHERE id > ? ORDER BY id LIMIT ${IDS_A_TURN}`;
    for (let after = ''; ; ) {
      const found = await rows.query(sql, [after]);
      for (const { id } of found) filter.add(String(id));
      if (found.length < IDS_A_TURN) break;
      after = String(found.at(-1)?.id);
      await new Promise<void>((done) => setImmediate(done));
    }
  }
  return filter.bits;
}

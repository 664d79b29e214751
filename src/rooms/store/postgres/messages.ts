import { decodeText, encodeText } from '../../../kernel/postgres/text.ts';
import type { ReactionKey } from '../../domain/change.ts';
import type { Edit } from '../../domain/message/message.ts';
import type { StoredText } from '../engine.ts';
import { type DataRow, type MessageRow, parseData, type Queries, toStoredText } from './queries.ts';

const MESSAGES = `
  SELECT v.data, m.hash FROM opsdeck.room_message m JOIN opsdeck.room_event v ON v.pos = m.last WHERE m.id = ANY ($1)`;
const FORGOTTEN = 'SELECT id FROM opsdeck.room_forgotten WHERE id = ANY ($1) AND until > $2';
const REACTED = `
  SELECT k.n FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS k (id, emoji, user_id, n)
  JOIN opsdeck.room_message m ON m.id = k.id
  JOIN opsdeck.room_reaction r ON (r.room, r.seq, r.emoji, r.user_id) = (m.room, m.seq, k.emoji, k.user_id) ORDER BY k.n`;
const EDITS = `
  SELECT e.data FROM opsdeck.room_message m JOIN opsdeck.room_edit e ON (e.room, e.seq) = (m.room, m.seq)
  WHERE m.id = $1 ORDER BY e.version`;

/** See RoomStore; also for the others. */
export async function readMessages({ query }: Queries, ids: readonly string[]): Promise<readonly StoredText[]> {
  return (await query<MessageRow>(MESSAGES, [ids.map(encodeText)])).map(toStoredText);
}

export async function readForgotten(
  { query }: Queries,
  ids: readonly string[],
  now: number,
): Promise<readonly string[]> {
  return (await query<{ id: string }>(FORGOTTEN, [ids.map(encodeText), now])).map(({ id }) => decodeText(id));
}

export async function readReacted({ query }: Queries, keys: readonly ReactionKey[]): Promise<readonly ReactionKey[]> {
  const columns = (['messageId', 'emoji', 'userId'] as const).map((name) => keys.map((key) => encodeText(key[name])));
  const found = await query<{ n: number }>(REACTED, columns);
  return found.flatMap(({ n }) => keys[n - 1] ?? []);
}

export async function readEdits({ query }: Queries, messageId: string): Promise<readonly Edit[]> {
  return (await query<DataRow>(EDITS, [encodeText(messageId)])).map(parseData<Edit>);
}

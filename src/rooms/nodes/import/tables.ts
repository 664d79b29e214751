import { encodeText } from '../../../kernel/postgres/text.ts';
import type { SqlRow } from '../../../kernel/storage/database.ts';
import { messageJsonOf, readMessage } from '../../contract/message-json.ts';
import { searchVector } from '../../store/postgres/search/vector.ts';
import { hashText, textOfKey } from '../../store/sqlite/rows.ts';
import { roomOfPlace, seqOfPlace } from '../../store/sqlite/schema.ts';

/** A table of rooms.sqlite, and the one of PostgreSQL that takes its rows. */
export interface ImportedTable {
  readonly what: string;
  /** With the columns of the key first in `order`. */
  readonly from: string;
  readonly order: readonly string[];
  readonly into: string;
  /** The columns of the target with their types. */
  readonly columns: string;
  /** A row of the target, or undefined if it belongs to no room. */
  row(row: SqlRow, facts: ImportFacts): Readonly<Record<string, unknown>> | undefined;
}

export interface ImportFacts {
  /** The id of a room by its number in rooms.sqlite. */
  readonly roomIds: ReadonlyMap<number, string>;
  /** The writer of all events. */
  readonly writer: string;
}

const text = (value: unknown): string | null => (value === null ? null : encodeText(textOfKey(String(value))));

/** The room and the sequence number of a message. */
function placeIn(
  { roomIds }: ImportFacts,
  { place }: SqlRow,
): { readonly room: string; readonly seq: number } | undefined {
  const id = roomIds.get(roomOfPlace(Number(place)));
  return id === undefined ? undefined : { room: encodeText(id), seq: seqOfPlace(Number(place)) };
}

/** The same columns beside the place of a message. */
function ofMessages(
  what: string,
  from: string,
  order: readonly string[],
  columns: string,
  values: (row: SqlRow) => Readonly<Record<string, unknown>>,
): ImportedTable {
  return {
    what,
    from,
    order,
    into: `room_${from}`,
    columns: `room text, seq bigint, ${columns}`,
    row: (row, facts) => {
      const place = placeIn(facts, row);
      return place && { ...place, ...values(row) };
    },
  };
}

const MESSAGES = '(SELECT message.*, event.data FROM message JOIN event ON event.pos = message.last)';

export const IMPORTED_TABLES: readonly ImportedTable[] = [
  {
    what: 'records',
    from: 'record',
    order: ['kind', 'key'],
    into: 'room_record',
    columns: 'kind text, key text, data text, changed bigint',
    row: ({ kind, key, data }) => ({ kind, key: text(key), data, changed: 1 }),
  },
  {
    what: 'events',
    from: 'event',
    order: ['pos'],
    into: 'room_event',
    columns: 'pos bigint, type smallint, room text, seq bigint, audience text, data text, writer uuid',
    row({ pos, type, room, seq, audience, data }, { roomIds, writer }) {
      const id = roomIds.get(Number(room)) ?? null;
      return { pos, type, room: id && encodeText(id), seq, audience: text(audience), data, writer };
    },
  },
  {
    ...ofMessages(
      'messages',
      MESSAGES,
      ['place'],
      'id text, first bigint, last bigint, author text, type text, thread text, hidden boolean, hash text, created_at bigint, words tsvector',
      ({ id, first, last, author, type, thread, hidden, hash, created_at, data }) => {
        const message = readMessage(messageJsonOf(String(data)));
        return {
          id: encodeText(String(id)),
          first,
          last,
          author: text(author),
          type,
          thread: thread === null ? null : encodeText(String(thread)),
          hidden: hidden === 1,
          hash: hashText(hash),
          created_at,
          words: message.deleted ? null : searchVector(message),
        };
      },
    ),
    into: 'room_message',
  },
  ofMessages('mentions', 'mention', ['user', 'place'], 'user_id text', ({ user }) => ({ user_id: text(user) })),
  ofMessages('reactions', 'reaction', ['place', 'emoji', 'user'], 'emoji text, user_id text', ({ emoji, user }) => ({
    emoji: text(emoji),
    user_id: text(user),
  })),
  ofMessages('edits', 'edit', ['place', 'version'], 'version integer, data text', ({ version, data }) => ({
    version,
    data,
  })),
  ofMessages('uses of files', 'file_use', ['file', 'place'], 'file text', ({ file }) => ({ file: text(file) })),
  {
    what: 'runs',
    from: 'run',
    order: ['id'],
    into: 'room_run',
    columns: 'id text, room text, ended boolean, data text',
    row({ id, room, ended, data }, { roomIds }) {
      const roomId = roomIds.get(Number(room));
      return roomId === undefined ? undefined : { id: text(id), room: encodeText(roomId), ended: ended === 1, data };
    },
  },
  {
    what: 'files',
    from: 'file',
    order: ['id'],
    into: 'room_file',
    columns: 'id text, sha256 text, created_at bigint, data text',
    row: ({ id, sha256, created_at, data }) => ({ id: text(id), sha256, created_at, data }),
  },
  {
    what: 'entries of the audit log',
    from: 'audit',
    order: ['id'],
    into: 'room_audit',
    columns: 'id bigint, data text',
    row: ({ id, data }) => ({ id, data }),
  },
  {
    what: 'ids of removed messages',
    from: 'forgotten',
    order: ['id'],
    into: 'room_forgotten',
    columns: 'id text, until bigint',
    row: ({ id, until }) => ({ id: encodeText(String(id)), until }),
  },
];

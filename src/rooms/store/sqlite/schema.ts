// The tables of rooms.sqlite. A room is a small number in them (`room.num`; 0 stands for the whole server), and a
// message is known by its place: the room's number and its sequence number in one integer, so that a room's messages
// are stored together and in order. The current content of a message is the data of its last event.
import type { Statement } from '../../../kernel/storage/database.ts';

export const MIGRATIONS = [
  `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
  CREATE TABLE record (kind TEXT, key TEXT, data TEXT NOT NULL, PRIMARY KEY (kind, key)) WITHOUT ROWID;
  CREATE TABLE room (num INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, last_seq INTEGER NOT NULL, last_at INTEGER);
  CREATE TABLE event (
    pos INTEGER PRIMARY KEY, type INTEGER NOT NULL, room INTEGER NOT NULL, seq INTEGER NOT NULL, audience TEXT,
    data TEXT NOT NULL
  );
  CREATE INDEX event_room ON event (room);
  CREATE INDEX event_later ON event (room, seq) WHERE seq > 0 AND type <> 1;
  CREATE TABLE message (
    place INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, first INTEGER NOT NULL, last INTEGER NOT NULL,
    author TEXT NOT NULL, type TEXT NOT NULL, thread TEXT, hidden INTEGER NOT NULL, hash NOT NULL,
    created_at INTEGER NOT NULL
  );
  CREATE INDEX message_author ON message (author);
  CREATE INDEX message_type ON message (type) WHERE type <> 'text';
  CREATE INDEX message_thread ON message (thread) WHERE thread IS NOT NULL;
  CREATE TABLE mention (user TEXT, place INTEGER, PRIMARY KEY (user, place)) WITHOUT ROWID;
  CREATE INDEX mention_place ON mention (place);
  CREATE TABLE reaction (place INTEGER, emoji TEXT, user TEXT, PRIMARY KEY (place, emoji, user)) WITHOUT ROWID;
  CREATE TABLE edit (place INTEGER, version INTEGER, data TEXT NOT NULL, PRIMARY KEY (place, version)) WITHOUT ROWID;
  CREATE TABLE run (id TEXT PRIMARY KEY, room INTEGER NOT NULL, ended INTEGER NOT NULL, data TEXT NOT NULL);
  CREATE INDEX run_unfinished ON run (ended) WHERE ended = 0;
  CREATE INDEX run_room ON run (room);
  CREATE TABLE file (id TEXT PRIMARY KEY, sha256 TEXT NOT NULL, created_at INTEGER NOT NULL, data TEXT NOT NULL);
  CREATE INDEX file_sha256 ON file (sha256);
  CREATE INDEX file_age ON file (created_at);
  CREATE TABLE file_use (file TEXT, place INTEGER, PRIMARY KEY (file, place)) WITHOUT ROWID;
  CREATE INDEX file_use_place ON file_use (place);
  CREATE TABLE audit (id INTEGER PRIMARY KEY, data TEXT NOT NULL);
  CREATE TABLE forgotten (id TEXT PRIMARY KEY, until INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX forgotten_until ON forgotten (until);
  `,
  // The last record of the journal of 0.1.0 in the tables: an older program would lack its writes.
  "INSERT OR IGNORE INTO meta VALUES ('applied', 0)",
  // Scripts without spaces are indexed differently now, so all texts are read again.
  "UPDATE meta SET value = 0 WHERE name = 'indexed'",
  // So is ß.
  "UPDATE meta SET value = 0 WHERE name = 'indexed'",
] as const;

const PLACES = 2 ** 32;

/** Both are below 2^53: a server has at most two million rooms, and a room at most four thousand million messages. */
export const placeOf = (room: number, seq: number): number => room * PLACES + seq;

export const roomOfPlace = (place: number): number => Math.floor(place / PLACES);

export const seqOfPlace = (place: number): number => place % PLACES;

export const setMeta = (name: string, value: string | number): Statement => ({
  sql: 'INSERT OR REPLACE INTO meta VALUES (?, ?)',
  values: [name, value],
});

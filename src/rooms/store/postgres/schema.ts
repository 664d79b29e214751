import { APPEND } from './append-function.ts';
import { FILES } from './file-functions.ts';
import { REMOVALS } from './removal-functions.ts';

// Texts are JSON, or encoded (kernel/postgres/text.ts), as PostgreSQL stores no U+0000; never jsonb, which reorders keys. Instants
// are epoch milliseconds. A message is known by its room and sequence number; its current content is the data of its last event.

const TABLES = `
  -- One row, whose lock orders all writers: positions are given under it, so that the visible events are always a prefix.
  CREATE TABLE opsdeck.room_log (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    epoch text NOT NULL,
    -- The server and the timeline of the epoch: elsewhere the last commits may be missing.
    origin text NOT NULL,
    -- The number of commits; of the last one that did more than add messages; of the last one whose removed records are gone.
    commits bigint NOT NULL DEFAULT 0,
    changed bigint NOT NULL DEFAULT 0,
    pruned bigint NOT NULL DEFAULT 0,
    pos bigint NOT NULL DEFAULT 0,
    first_pos bigint NOT NULL DEFAULT 1,
    -- A node that came too late goes next.
    reserved_by uuid,
    reserved_until timestamptz NOT NULL DEFAULT '-infinity'
  ) WITH (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

  -- Without data: removed; kept for a while, as the other nodes must learn of it.
  CREATE TABLE opsdeck.room_record (
    kind text, key text, data text, changed bigint NOT NULL, removed_at timestamptz, PRIMARY KEY (kind, key)
  ) WITH (fillfactor = 80);
  CREATE INDEX room_record_changed ON opsdeck.room_record (changed);

  -- changed: the last commit that removed messages. A removed room has no last_seq; its row is for the other nodes.
  CREATE TABLE opsdeck.room (
    id text PRIMARY KEY, first_seq bigint NOT NULL, last_seq bigint NOT NULL, last_at bigint, changed bigint NOT NULL DEFAULT 0
  ) WITH (fillfactor = 70);
  CREATE INDEX room_changed ON opsdeck.room (changed) WHERE changed > 0;

  -- data: without its beginning, the position. draft: the event itself where it does not follow from data. writer: the node.
  CREATE TABLE opsdeck.room_event (
    pos bigint PRIMARY KEY, type smallint NOT NULL, room text, seq bigint NOT NULL, audience text, data text NOT NULL,
    draft text, writer uuid NOT NULL
  );
  CREATE INDEX room_event_room ON opsdeck.room_event (room, pos);
  CREATE INDEX room_event_seq ON opsdeck.room_event (room, seq) WHERE seq > 0;

  -- first, last: the positions of its creation and of its last event. words: for the search; NULL once it is deleted.
  CREATE TABLE opsdeck.room_message (
    room text, seq bigint, id text NOT NULL UNIQUE, first bigint NOT NULL, last bigint NOT NULL, author text NOT NULL,
    type text NOT NULL, thread text, hidden boolean NOT NULL, hash text NOT NULL, created_at bigint NOT NULL,
    words tsvector, PRIMARY KEY (room, seq)
  ) WITH (fillfactor = 85);
  CREATE INDEX room_message_thread ON opsdeck.room_message (thread) WHERE thread IS NOT NULL;
  CREATE INDEX room_message_first ON opsdeck.room_message (first);
  CREATE INDEX room_message_author ON opsdeck.room_message (author, first);
  CREATE INDEX room_message_type ON opsdeck.room_message (type, first) WHERE type <> 'text';
  -- The list of new words is merged by an append: a short one takes it little time.
  CREATE INDEX room_message_words ON opsdeck.room_message USING gin (words) WITH (gin_pending_list_limit = 256);

  CREATE TABLE opsdeck.room_mention (user_id text, room text, seq bigint, PRIMARY KEY (user_id, room, seq));
  CREATE INDEX room_mention_message ON opsdeck.room_mention (room, seq);
  CREATE TABLE opsdeck.room_reaction (
    room text, seq bigint, emoji text, user_id text, PRIMARY KEY (room, seq, emoji, user_id)
  );
  CREATE TABLE opsdeck.room_edit (room text, seq bigint, version integer, data text NOT NULL, PRIMARY KEY (room, seq, version));
  CREATE TABLE opsdeck.room_run (id text PRIMARY KEY, room text NOT NULL, ended boolean NOT NULL, data text NOT NULL);
  CREATE INDEX room_run_unfinished ON opsdeck.room_run (id) WHERE NOT ended;
  CREATE INDEX room_run_room ON opsdeck.room_run (room);
  CREATE TABLE opsdeck.room_file (id text PRIMARY KEY, sha256 text NOT NULL, created_at bigint NOT NULL, data text NOT NULL);
  CREATE INDEX room_file_sha256 ON opsdeck.room_file (sha256);
  CREATE INDEX room_file_age ON opsdeck.room_file (created_at);
  CREATE TABLE opsdeck.room_file_use (file text, room text, seq bigint, PRIMARY KEY (file, room, seq));
  CREATE INDEX room_file_use_message ON opsdeck.room_file_use (room, seq);
  -- The bytes of files; at: of an upload, or of its move to its hash. Most files are compressed already.
  CREATE TABLE opsdeck.room_file_piece (
    sha256 text, number integer, data bytea NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (sha256, number)
  );
  ALTER TABLE opsdeck.room_file_piece ALTER data SET STORAGE EXTERNAL;
  CREATE TABLE opsdeck.room_audit (id bigserial PRIMARY KEY, data text NOT NULL);
  CREATE TABLE opsdeck.room_forgotten (id text PRIMARY KEY, until bigint NOT NULL);
  CREATE INDEX room_forgotten_until ON opsdeck.room_forgotten (until);
  -- The caller of a stream, by the hash of its ticket.
  CREATE TABLE opsdeck.room_ticket (
    hash text PRIMARY KEY, user_id text NOT NULL, expires_at bigint NOT NULL, caller text NOT NULL
  );
  CREATE INDEX room_ticket_user ON opsdeck.room_ticket (user_id);
  -- The key of secrets where none was given, and a text that the right key opens.
  CREATE TABLE opsdeck.room_key (is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only), key text, proof text NOT NULL);`;

/** A timeline begins with each promotion of a standby; the identifier is that of the server's data. */
const ORIGIN = `
  CREATE FUNCTION opsdeck.room_timeline() RETURNS text LANGUAGE sql STABLE AS $$
    SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8)
  $$;
  CREATE FUNCTION opsdeck.room_origin() RETURNS text LANGUAGE sql STABLE AS $$
    SELECT system_identifier || '/' || opsdeck.room_timeline() FROM pg_control_system()
  $$;
  CREATE FUNCTION opsdeck.renew_room_epoch(p_old text, p_new text) RETURNS void LANGUAGE sql AS $$
    INSERT INTO opsdeck.room_log (epoch, origin) VALUES (p_new, opsdeck.room_origin())
    ON CONFLICT (is_only) DO UPDATE SET epoch = excluded.epoch, origin = excluded.origin,
      commits = room_log.commits + 1, changed = room_log.commits + 1, reserved_until = '-infinity'
    WHERE room_log.epoch = p_old
  $$;`;

/**
 * What was committed after a number and a position, as of one moment: the log; if it has moved on, the records changed since, the
 * rooms of which messages were removed, and a page of events, unless the position is NULL.
 */
const FOLLOW = `
  CREATE OR REPLACE FUNCTION opsdeck.follow_rooms(p_commits bigint, p_pos bigint, p_limit integer)
  RETURNS TABLE (what text, n bigint, m bigint, a text, b text, c text, d text, e text, writer uuid) LANGUAGE plpgsql STABLE AS $$
  DECLARE
    log opsdeck.room_log;
  BEGIN
    SELECT * INTO log FROM opsdeck.room_log;
    RETURN QUERY SELECT 'log', log.commits, log.pos, log.epoch, log.first_pos::text, log.pruned::text,
      (right(log.origin, 8) = left(pg_walfile_name(pg_current_wal_lsn()), 8))::text, NULL, NULL::uuid;
    IF log.commits = p_commits THEN RETURN; END IF;
    IF log.changed > p_commits OR p_pos IS NULL THEN
      RETURN QUERY SELECT 'record', r.changed, NULL::bigint, r.kind, r.key, r.data, NULL, NULL, NULL::uuid
        FROM opsdeck.room_record r WHERE r.changed > p_commits;
    END IF;
    IF p_pos IS NULL THEN
      RETURN QUERY SELECT 'room', r.first_seq, r.last_seq, r.id, r.last_at::text, NULL, NULL, NULL, NULL::uuid
        FROM opsdeck.room r WHERE r.last_seq > 0;
      RETURN;
    END IF;
    IF log.changed > p_commits THEN
      RETURN QUERY SELECT 'room', r.first_seq, r.last_seq, r.id, r.last_at::text, NULL, NULL, NULL, NULL::uuid
        FROM opsdeck.room r WHERE r.changed > p_commits AND r.changed > 0;
    END IF;
    RETURN QUERY SELECT 'event', v.pos, v.seq, v.type::text, v.room, v.audience, v.data, v.draft, v.writer
      FROM opsdeck.room_event v WHERE v.pos > p_pos ORDER BY v.pos LIMIT p_limit;
  END $$;`;

/** The component `rooms`, one step per version. Only additive within a minor version of opsdeck. */
export const ROOM_STEPS: readonly string[] = [
  `${TABLES}${ORIGIN}${REMOVALS}${FILES}`,
  'DROP FUNCTION IF EXISTS opsdeck.append_to_rooms(text, uuid, bigint, boolean, json, json)',
  `DROP FUNCTION IF EXISTS
     opsdeck.append_to_rooms(text, uuid, bigint, boolean, json, json, bigint, bigint, integer);${FOLLOW}${APPEND}`,
];

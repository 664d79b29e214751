/**
 * Commits a batch of writes in one call, or answers why not. The last row is the answer (`a`) with the log before the batch and the
 * milliseconds for which others went first (`c`):
 * - `moved`: the log is not that of the epoch; `busy`: another node goes first, to be called again soon;
 * - `behind`: something was committed after the version on which the writes were decided. A batch that only adds messages (not
 *   `p_changes`) depends on no other such batch, so that these never wait for each other. The node may go next;
 * - `taken`: an id of a message exists; `fenced`: a lease was lost, those of `b`;
 * - `written`: as the next commit; `b` has the last sequence numbers of the rooms with new messages.
 * Except with the first two, it comes after the rows of follow_rooms: what the node did not know before the batch, if anything.
 *
 * The events are columns, each NULL where all its values are. Either seq, or back: the distance from the last new message of the
 * room, whose number then stands for each U+0001 of the text. An id marks a new message. `p_rooms` with new messages, `p_counts` of
 * them and `p_times` of the last ones; `p_rest`: lists by name, as append-batch.ts builds them; NULL without any.
 *
 * The settings keep plans from scanning whole tables: a plan may have been made while the tables were empty.
 */
export const APPEND = `
  CREATE FUNCTION opsdeck.append_to_rooms(
    p_epoch text, p_writer uuid, p_version bigint, p_changes boolean, p_commits bigint, p_pos bigint, p_limit integer,
    p_rooms text[], p_counts bigint[], p_times bigint[], p_rest json,
    e_type smallint[], e_room text[], e_seq bigint[], e_back bigint[], e_audience text[], e_text text[], e_draft text[], e_id text[],
    e_author text[], e_kind text[], e_thread text[], e_hidden boolean[], e_hash text[], e_created_at bigint[], e_words text[]
  ) RETURNS TABLE (what text, n bigint, m bigint, a text, b text, c text, d text, e text, writer uuid) LANGUAGE plpgsql
  SET enable_seqscan = off SET plan_cache_mode = force_generic_plan SET jit = off AS $$
  #variable_conflict use_column
  DECLARE
    called timestamptz := clock_timestamp();
    log opsdeck.room_log;
    mine bigint;
    found json;
    outcome text;
    waited text;
  BEGIN
    SELECT * INTO log FROM opsdeck.room_log WHERE is_only FOR UPDATE;
    waited := extract(epoch FROM clock_timestamp() - called) * 1000;
    IF log.epoch <> p_epoch OR right(log.origin, 8) <> left(pg_walfile_name(pg_current_wal_lsn()), 8) THEN
      outcome := 'moved';
    ELSIF log.reserved_until > clock_timestamp() AND log.reserved_by <> p_writer THEN
      outcome := 'busy';
    ELSIF log.changed > p_version OR (p_changes AND log.commits > p_version) THEN
      -- A crash of PostgreSQL may lose the reservation.
      PERFORM set_config('synchronous_commit', 'off', true);
      UPDATE opsdeck.room_log SET reserved_by = p_writer, reserved_until = clock_timestamp() + interval '100 ms' WHERE is_only;
      outcome := 'behind';
    ELSIF EXISTS (SELECT FROM opsdeck.room_message WHERE id = ANY (e_id)) THEN
      outcome := 'taken';
    ELSIF p_rest->'fences' IS NOT NULL THEN
      SELECT json_agg(f.id) INTO found FROM json_to_recordset(p_rest->'fences') AS f (id text, fence bigint)
        WHERE NOT EXISTS (SELECT FROM opsdeck.lease l WHERE l.id = f.id AND l.fence = f.fence FOR SHARE);
      IF found IS NOT NULL THEN outcome := 'fenced'; END IF;
    END IF;
    IF log.commits > p_commits AND outcome IS DISTINCT FROM 'moved' AND outcome IS DISTINCT FROM 'busy' THEN
      -- A long answer is sent before the commit: without a limit, a node that does not read it would hold the lock.
      PERFORM set_config('tcp_user_timeout', '2000', true);
      RETURN QUERY SELECT * FROM opsdeck.follow_rooms(p_commits, p_pos, p_limit);
    END IF;
    IF outcome IS NOT NULL THEN
      RETURN QUERY SELECT 'append', log.commits, log.pos, outcome, found::text, waited, NULL, NULL, NULL::uuid; RETURN;
    END IF;

    mine := log.commits + 1;
    WITH counted AS (
      INSERT INTO opsdeck.room AS r (id, first_seq, last_seq, last_at)
      SELECT id, 1, count, at FROM unnest(p_rooms, p_counts, p_times) AS s (id, count, at)
      ON CONFLICT (id) DO UPDATE
        SET first_seq = greatest(r.first_seq, 1), last_seq = r.last_seq + excluded.last_seq, last_at = excluded.last_at
      RETURNING r.id, r.last_seq
    ), event AS MATERIALIZED (
      SELECT log.pos + e.n AS pos, e.*, coalesce(e.seq, c.last_seq - e.back, 0) AS number
      FROM unnest(e_type, e_room, e_seq, e_back, e_audience, e_text, e_draft, e_id, e_author, e_kind, e_thread, e_hidden, e_hash,
          e_created_at, e_words)
        WITH ORDINALITY AS e (type, room, seq, back, audience, text, draft, id, author, kind, thread, hidden, hash, created_at, words, n)
      LEFT JOIN counted c ON c.id = e.room
    ), written AS (
      INSERT INTO opsdeck.room_event (pos, type, room, seq, audience, data, draft, writer)
      SELECT pos, type, room, number, audience,
        CASE WHEN back IS NULL THEN text ELSE replace(text, chr(1), number::text) END, draft, p_writer
      FROM event
    ), posted AS (
      INSERT INTO opsdeck.room_message (room, seq, id, first, last, author, type, thread, hidden, hash, created_at, words)
      SELECT room, number, id, pos, pos, author, kind, thread, hidden, hash, created_at, words::tsvector
      FROM event WHERE id IS NOT NULL
    )
    SELECT json_object_agg(id, last_seq) INTO found FROM counted;
    UPDATE opsdeck.room_log SET commits = mine, changed = CASE WHEN p_changes THEN mine ELSE changed END,
      pos = log.pos + cardinality(e_type), reserved_by = NULL, reserved_until = '-infinity' WHERE is_only;
    RETURN QUERY SELECT 'append', log.commits, log.pos, 'written', found::text, waited, NULL, NULL, NULL::uuid;
    IF p_rest IS NULL THEN RETURN; END IF;

    IF p_rest->'messages' IS NOT NULL THEN
      UPDATE opsdeck.room_message m SET last = log.pos + c.n, hidden = c.hidden,
        words = CASE WHEN NOT c.deleted THEN coalesce(c.words::tsvector, m.words) END
        FROM json_to_recordset(p_rest->'messages')
          AS c (room text, seq bigint, n bigint, hidden boolean, deleted boolean, words text)
        WHERE m.room = c.room AND m.seq = c.seq;
    END IF;
    IF p_rest->'unreferred' IS NOT NULL THEN
      DELETE FROM opsdeck.room_mention m USING json_to_recordset(p_rest->'unreferred') AS u (room text, seq bigint)
        WHERE m.room = u.room AND m.seq = u.seq;
      DELETE FROM opsdeck.room_file_use f USING json_to_recordset(p_rest->'unreferred') AS u (room text, seq bigint)
        WHERE f.room = u.room AND f.seq = u.seq;
    END IF;
    IF p_rest->'mentions' IS NOT NULL THEN
      INSERT INTO opsdeck.room_mention (user_id, room, seq)
        SELECT m.user_id, m.room, coalesce(m.seq, s.value::bigint - m.back)
        FROM json_to_recordset(p_rest->'mentions') AS m (user_id text, room text, seq bigint, back bigint)
        LEFT JOIN json_each_text(found) s ON s.key = m.room ON CONFLICT DO NOTHING;
    END IF;
    IF p_rest->'fileUses' IS NOT NULL THEN
      INSERT INTO opsdeck.room_file_use (file, room, seq)
        SELECT f.file, f.room, coalesce(f.seq, s.value::bigint - f.back)
        FROM json_to_recordset(p_rest->'fileUses') AS f (file text, room text, seq bigint, back bigint)
        LEFT JOIN json_each_text(found) s ON s.key = f.room ON CONFLICT DO NOTHING;
    END IF;
    IF p_rest->'reactions' IS NOT NULL THEN
      DELETE FROM opsdeck.room_reaction r
        USING json_to_recordset(p_rest->'reactions') AS c (room text, seq bigint, emoji text, user_id text, added boolean)
        WHERE NOT c.added AND (r.room, r.seq, r.emoji, r.user_id) = (c.room, c.seq, c.emoji, c.user_id);
      INSERT INTO opsdeck.room_reaction (room, seq, emoji, user_id) SELECT room, seq, emoji, user_id
        FROM json_to_recordset(p_rest->'reactions') AS c (room text, seq bigint, emoji text, user_id text, added boolean)
        WHERE added ON CONFLICT DO NOTHING;
    END IF;
    IF p_rest->'edits' IS NOT NULL THEN
      INSERT INTO opsdeck.room_edit (room, seq, version, data) SELECT m.room, m.seq, c.version, c.data
        FROM json_to_recordset(p_rest->'edits') AS c (message text, version integer, data text)
        JOIN opsdeck.room_message m ON m.id = c.message
        ON CONFLICT (room, seq, version) DO UPDATE SET data = excluded.data;
    END IF;
    IF p_rest->'scrubbed' IS NOT NULL THEN
      UPDATE opsdeck.room_event v SET data = left(data, strpos(data, '"message":') + 9) || s.json
        FROM json_to_recordset(p_rest->'scrubbed') AS s (room text, seq bigint, n bigint, json text)
        WHERE v.room = s.room AND v.seq = s.seq AND v.seq > 0 AND v.pos < log.pos + s.n;
      DELETE FROM opsdeck.room_edit x USING json_to_recordset(p_rest->'scrubbed') AS s (room text, seq bigint)
        WHERE x.room = s.room AND x.seq = s.seq;
      DELETE FROM opsdeck.room_reaction x USING json_to_recordset(p_rest->'scrubbed') AS s (room text, seq bigint)
        WHERE x.room = s.room AND x.seq = s.seq;
    END IF;
    IF p_rest->'runs' IS NOT NULL THEN
      INSERT INTO opsdeck.room_run (id, room, ended, data)
        SELECT id, room, ended, data FROM json_to_recordset(p_rest->'runs') AS c (id text, room text, ended boolean, data text)
        ON CONFLICT (id) DO UPDATE SET ended = excluded.ended, data = excluded.data;
    END IF;
    IF p_rest->'files' IS NOT NULL THEN
      INSERT INTO opsdeck.room_file (id, sha256, created_at, data) SELECT id, sha256, created_at, data
        FROM json_to_recordset(p_rest->'files') AS c (id text, sha256 text, created_at bigint, data text)
        ON CONFLICT (id) DO UPDATE SET sha256 = excluded.sha256, data = excluded.data;
    END IF;
    IF p_rest->'audit' IS NOT NULL THEN
      INSERT INTO opsdeck.room_audit (data) SELECT value FROM json_array_elements_text(p_rest->'audit');
    END IF;
    IF p_rest->'records' IS NOT NULL THEN
      INSERT INTO opsdeck.room_record (kind, key, data, changed, removed_at)
        SELECT kind, key, data, mine, CASE WHEN data IS NULL THEN clock_timestamp() END
        FROM json_to_recordset(p_rest->'records') AS c (kind text, key text, data text)
        ON CONFLICT (kind, key) DO UPDATE SET data = excluded.data, changed = excluded.changed, removed_at = excluded.removed_at;
    END IF;
  END $$;`;

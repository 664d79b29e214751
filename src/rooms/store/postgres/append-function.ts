/**
 * Commits a batch of writes in one call, or answers why not. The last row is the answer (`a`) with the log before the batch:
 * - `moved`: the log is not that of the epoch; `busy`: another node goes first, to be called again soon;
 * - `behind`: something was committed after the version on which the writes were decided. A batch that only adds messages (not
 *   `p_changes`) depends on no other such batch, so that these never wait for each other. The node may go next;
 * - `taken`: an id of a message exists; `fenced`: a lease was lost, those of `b`;
 * - `written`: as the next commit; `b` has the last sequence numbers of the rooms with new messages.
 * Except with the first two, it comes after the rows of follow_rooms: what the node did not know before the batch, if anything.
 *
 * `p_events`: n from 1; either seq, or back: the distance from the last new message of the room, whose number then stands between
 * text, middle and rest. An id marks a new message. `p_rest`: lists by name, as append-batch.ts builds them.
 */
export const APPEND = `
  CREATE FUNCTION opsdeck.append_to_rooms(
    p_epoch text, p_writer uuid, p_version bigint, p_changes boolean, p_events json, p_rest json, p_commits bigint, p_pos bigint,
    p_limit integer
  ) RETURNS TABLE (what text, n bigint, m bigint, a text, b text, c text, d text, e text, writer uuid) LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  DECLARE
    log opsdeck.room_log;
    mine bigint;
    found json;
    outcome text;
  BEGIN
    SELECT * INTO log FROM opsdeck.room_log FOR UPDATE;
    IF log.epoch <> p_epoch OR right(log.origin, 8) <> opsdeck.room_timeline() THEN
      outcome := 'moved';
    ELSIF log.reserved_until > clock_timestamp() AND log.reserved_by <> p_writer THEN
      outcome := 'busy';
    ELSIF log.changed > p_version OR (p_changes AND log.commits > p_version) THEN
      UPDATE opsdeck.room_log SET reserved_by = p_writer, reserved_until = clock_timestamp() + interval '100 ms';
      outcome := 'behind';
    ELSIF EXISTS (SELECT FROM json_to_recordset(p_events) AS e (id text) JOIN opsdeck.room_message m ON m.id = e.id) THEN
      outcome := 'taken';
    ELSIF p_rest->'fences' IS NOT NULL THEN
      SELECT json_agg(f.id) INTO found FROM json_to_recordset(p_rest->'fences') AS f (id text, fence bigint)
        WHERE NOT EXISTS (SELECT FROM opsdeck.lease l WHERE l.id = f.id AND l.fence = f.fence FOR SHARE);
      IF found IS NOT NULL THEN outcome := 'fenced'; END IF;
    END IF;
    IF log.commits > p_commits AND outcome IS DISTINCT FROM 'moved' AND outcome IS DISTINCT FROM 'busy' THEN
      RETURN QUERY SELECT * FROM opsdeck.follow_rooms(p_commits, p_pos, p_limit);
    END IF;
    IF outcome IS NOT NULL THEN
      RETURN QUERY SELECT 'append', log.commits, log.pos, outcome, found::text, NULL, NULL, NULL, NULL::uuid; RETURN;
    END IF;

    mine := log.commits + 1;
    IF p_rest->'rooms' IS NOT NULL THEN
      WITH counted AS (
        INSERT INTO opsdeck.room AS r (id, first_seq, last_seq, last_at)
        SELECT id, 1, count, at FROM json_to_recordset(p_rest->'rooms') AS s (id text, count bigint, at bigint)
        ON CONFLICT (id) DO UPDATE
          SET first_seq = greatest(r.first_seq, 1), last_seq = r.last_seq + excluded.last_seq, last_at = excluded.last_at
        RETURNING r.id, r.last_seq
      )
      SELECT json_object_agg(id, last_seq) INTO found FROM counted;
    END IF;
    WITH event AS MATERIALIZED (
      SELECT log.pos + n AS pos, e.*, coalesce(e.seq, s.value::bigint - e.back, 0) AS number
      FROM json_to_recordset(p_events) AS e (n bigint, type smallint, room text, seq bigint, back bigint, audience text, text text,
        middle text, rest text, draft text, id text, author text, kind text, thread text, hidden boolean, hash text,
        created_at bigint, words text)
      LEFT JOIN json_each_text(found) s ON s.key = e.room
    ), written AS (
      INSERT INTO opsdeck.room_event (pos, type, room, seq, audience, data, draft, writer)
      SELECT pos, type, room, number, audience,
        CASE WHEN back IS NULL THEN text ELSE concat(text, number, middle, number, rest) END, draft, p_writer
      FROM event
    )
    INSERT INTO opsdeck.room_message (room, seq, id, first, last, author, type, thread, hidden, hash, created_at, words)
    SELECT room, number, id, pos, pos, author, kind, thread, hidden, hash, created_at, words::tsvector
    FROM event WHERE id IS NOT NULL;

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

    UPDATE opsdeck.room_log SET commits = mine, changed = CASE WHEN p_changes THEN mine ELSE changed END,
      pos = log.pos + json_array_length(p_events), reserved_by = NULL, reserved_until = '-infinity';
    RETURN QUERY SELECT 'append', log.commits, log.pos, 'written', found::text, NULL, NULL, NULL, NULL::uuid;
  END $$;`;

/**
 * Removals for good, under the lock of the log. That of messages is a commit on which decisions may depend, so that other nodes
 * learn of it: `room.changed` marks the room. The last sequence number stays.
 */
export const REMOVALS = `
  CREATE FUNCTION opsdeck.erase_room_messages(p_room text, p_seqs bigint[]) RETURNS void LANGUAGE sql AS $$
    DELETE FROM opsdeck.room_event WHERE room = p_room AND seq = ANY (p_seqs) AND seq > 0;
    DELETE FROM opsdeck.room_mention WHERE room = p_room AND seq = ANY (p_seqs);
    DELETE FROM opsdeck.room_reaction WHERE room = p_room AND seq = ANY (p_seqs);
    DELETE FROM opsdeck.room_edit WHERE room = p_room AND seq = ANY (p_seqs);
    DELETE FROM opsdeck.room_file_use WHERE room = p_room AND seq = ANY (p_seqs);
    DELETE FROM opsdeck.room_message WHERE room = p_room AND seq = ANY (p_seqs);
  $$;

  -- The commit of a removal; returns its number.
  CREATE FUNCTION opsdeck.commit_room_removal(p_room text) RETURNS bigint LANGUAGE plpgsql AS $$
  DECLARE
    mine bigint;
  BEGIN
    UPDATE opsdeck.room_log SET commits = commits + 1, changed = commits + 1,
      first_pos = coalesce((SELECT min(v.pos) FROM opsdeck.room_event v WHERE v.pos >= first_pos), pos + 1)
      RETURNING commits INTO mine;
    INSERT INTO opsdeck.room AS r (id, first_seq, last_seq, changed) VALUES (p_room, 0, 0, mine)
      ON CONFLICT (id) DO UPDATE SET changed = mine, first_seq = CASE WHEN r.last_seq = 0 THEN 0
        ELSE coalesce((SELECT min(m.seq) FROM opsdeck.room_message m WHERE m.room = p_room), r.last_seq + 1) END;
    RETURN mine;
  END $$;

  CREATE FUNCTION opsdeck.remove_room_messages(p_room text, p_ids text[], p_until bigint) RETURNS bigint LANGUAGE plpgsql AS $$
  DECLARE
    gone bigint[];
  BEGIN
    PERFORM FROM opsdeck.room_log FOR UPDATE;
    gone := ARRAY(SELECT seq FROM opsdeck.room_message WHERE id = ANY (p_ids) AND room = p_room);
    INSERT INTO opsdeck.room_forgotten (id, until)
      SELECT id, p_until FROM opsdeck.room_message WHERE room = p_room AND seq = ANY (gone)
      ON CONFLICT (id) DO UPDATE SET until = excluded.until;
    PERFORM opsdeck.erase_room_messages(p_room, gone);
    RETURN opsdeck.commit_room_removal(p_room);
  END $$;

  -- Removes some messages, or some events once no messages are left; NULL when there was nothing.
  CREATE FUNCTION opsdeck.remove_room_part(p_room text, p_limit bigint) RETURNS bigint LANGUAGE plpgsql AS $$
  DECLARE
    gone bigint[];
  BEGIN
    PERFORM FROM opsdeck.room_log FOR UPDATE;
    gone := ARRAY(SELECT seq FROM opsdeck.room_message WHERE room = p_room ORDER BY seq LIMIT p_limit);
    PERFORM opsdeck.erase_room_messages(p_room, gone);
    IF cardinality(gone) = 0 THEN
      DELETE FROM opsdeck.room_event
        WHERE pos = ANY (ARRAY(SELECT pos FROM opsdeck.room_event WHERE room = p_room ORDER BY pos LIMIT p_limit));
      IF NOT FOUND THEN RETURN NULL; END IF;
    END IF;
    RETURN opsdeck.commit_room_removal(p_room);
  END $$;

  -- The rest of a room. Its row stays, without messages, until the other nodes know.
  CREATE FUNCTION opsdeck.remove_room(p_room text) RETURNS bigint LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM FROM opsdeck.room_log FOR UPDATE;
    PERFORM opsdeck.erase_room_messages(p_room, ARRAY(SELECT seq FROM opsdeck.room_message WHERE room = p_room));
    DELETE FROM opsdeck.room_event WHERE room = p_room;
    DELETE FROM opsdeck.room_run WHERE room = p_room;
    UPDATE opsdeck.room SET first_seq = 0, last_seq = 0, last_at = NULL WHERE id = p_room;
    RETURN opsdeck.commit_room_removal(p_room);
  END $$;

  -- Keeps files that a message has taken since they were found; returns contents without references.
  CREATE FUNCTION opsdeck.forget_room_files(p_ids text[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
  DECLARE
    hashes text[];
  BEGIN
    PERFORM FROM opsdeck.room_log FOR UPDATE;
    WITH gone AS (
      DELETE FROM opsdeck.room_file f
        WHERE id = ANY (p_ids) AND NOT EXISTS (SELECT FROM opsdeck.room_file_use u WHERE u.file = f.id) RETURNING sha256
    )
    SELECT array_agg(DISTINCT sha256) INTO hashes FROM gone;
    RETURN QUERY SELECT h FROM unnest(hashes) AS h WHERE NOT EXISTS (SELECT FROM opsdeck.room_file f WHERE f.sha256 = h);
  END $$;

  -- Removed records and rooms that all nodes have read, or will miss; and what is of no use any more.
  CREATE FUNCTION opsdeck.prune_rooms(p_age interval, p_now bigint) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    latest bigint;
  BEGIN
    PERFORM FROM opsdeck.room_log FOR UPDATE;
    WITH records AS (
      DELETE FROM opsdeck.room_record WHERE removed_at < clock_timestamp() - p_age RETURNING kind, key, changed
    ), rooms AS (
      DELETE FROM opsdeck.room r USING records d
        WHERE d.kind = 'room' AND r.id = d.key AND r.last_seq = 0 RETURNING r.changed
    )
    SELECT max(changed) INTO latest FROM (SELECT changed FROM records UNION ALL SELECT changed FROM rooms) gone;
    UPDATE opsdeck.room_log SET pruned = latest WHERE pruned < latest;
    DELETE FROM opsdeck.room_forgotten WHERE until <= p_now;
    DELETE FROM opsdeck.room_ticket WHERE expires_at <= p_now;
  END $$;`;

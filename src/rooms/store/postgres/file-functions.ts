import { LOCK_SPACE } from '../../../kernel/postgres/migrations.ts';
import { MAX_UPLOAD_MS, YOUNG_MS } from '../../files/contents/contents.ts';

const FILES_LOCK = 3;
const isOlder = (ms: number) => `at < clock_timestamp() - interval '${ms} ms'`;

/** Moves and removals of the bytes of files. They follow each other, so that bytes of a new file are not removed. */
export const FILES = `
  -- Moves uploaded bytes to their hash; false: they were there already.
  CREATE FUNCTION opsdeck.place_room_file(p_name text, p_sha256 text) RETURNS boolean LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock(${LOCK_SPACE}, ${FILES_LOCK});
    UPDATE opsdeck.room_file_piece SET at = clock_timestamp() WHERE sha256 = p_sha256 AND number = 0;
    IF FOUND THEN RETURN false; END IF;
    UPDATE opsdeck.room_file_piece SET sha256 = p_sha256, at = clock_timestamp() WHERE sha256 = p_name;
    RETURN true;
  END $$;

  -- Unless a file has them, or may have them in a moment.
  CREATE FUNCTION opsdeck.remove_room_file(p_sha256 text) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock(${LOCK_SPACE}, ${FILES_LOCK});
    DELETE FROM opsdeck.room_file_piece WHERE sha256 = p_sha256
      AND EXISTS (SELECT FROM opsdeck.room_file_piece WHERE sha256 = p_sha256 AND number = 0 AND ${isOlder(YOUNG_MS)})
      AND NOT EXISTS (SELECT FROM opsdeck.room_file f WHERE f.sha256 = p_sha256);
  END $$;

  -- What was left by broken uploads, or could not be removed in time.
  CREATE FUNCTION opsdeck.sweep_room_files() RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock(${LOCK_SPACE}, ${FILES_LOCK});
    DELETE FROM opsdeck.room_file_piece WHERE sha256 = ANY (ARRAY(
      SELECT p.sha256 FROM opsdeck.room_file_piece p WHERE number = 0 AND ${isOlder(MAX_UPLOAD_MS)}
        AND NOT EXISTS (SELECT FROM opsdeck.room_file f WHERE f.sha256 = p.sha256)));
  END $$;`;

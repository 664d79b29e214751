import { LOCK_SPACE } from './migrations.ts';

/** The channel on which a commit of changes wakes the other nodes. */
export const CHANNEL = 'opsdeck';
const CHANGE_LOCK = 2;

/**
 * The component `kernel`: the log of changes, the nodes, and leases.
 *
 * A sequence numbers rows in the order of inserts, and transactions commit in another. The lock, taken before the first insert
 * and held until the commit, makes the numbers the order of commits: a smaller one is visible earlier. Therefore
 * `log_changes` is the last part of a writer's statement.
 */
export const KERNEL_STEPS: readonly string[] = [
  `
  CREATE TABLE opsdeck.change (
    seq bigserial PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    kind text NOT NULL,
    key text NOT NULL,
    body text
  );
  CREATE TABLE opsdeck.change_pruned (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    seq bigint NOT NULL
  );
  INSERT INTO opsdeck.change_pruned (seq) VALUES (0);
  CREATE FUNCTION opsdeck.log_changes(kinds text[], keys text[], bodies text[]) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    IF coalesce(cardinality(kinds), 0) = 0 THEN RETURN; END IF;
    PERFORM pg_advisory_xact_lock(${LOCK_SPACE}, ${CHANGE_LOCK});
    INSERT INTO opsdeck.change (kind, key, body)
      SELECT change.kind, change.key, change.body
      FROM unnest(kinds, keys, bodies) WITH ORDINALITY AS change (kind, key, body, place) ORDER BY place;
    PERFORM pg_notify('${CHANNEL}', '');
  END $$;
  CREATE UNLOGGED TABLE opsdeck.node (
    incarnation uuid PRIMARY KEY,
    component text NOT NULL,
    name text NOT NULL,
    address text NOT NULL,
    config_hash text NOT NULL,
    version text NOT NULL,
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    seen_at timestamptz NOT NULL DEFAULT clock_timestamp()
  ) WITH (fillfactor = 50);
  `,
  // A lease on a job. A new holder gets a higher fence, so that writes under the earlier one can be refused.
  `
  CREATE TABLE opsdeck.lease (
    id text PRIMARY KEY,
    owner uuid NOT NULL,
    lease_until timestamptz NOT NULL,
    fence bigint NOT NULL
  ) WITH (fillfactor = 50);
  CREATE SEQUENCE opsdeck.lease_fence;
  `,
];

/** Servers that know only the first step work with the later ones. */
export const KERNEL_MIN_READER = 1;

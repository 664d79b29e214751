// Instants are bigint epoch milliseconds where nodes compute them, timestamptz where PostgreSQL does. Texts are JSON or
// encoded (`text.ts`), as PostgreSQL stores no U+0000; never jsonb, which reorders keys.

/** The tables of the alert servers, one step per version. Only additive within a minor version of opsdeck. */
export const ALERT_STEPS: readonly string[] = [
  `
  CREATE TABLE opsdeck.silence (
    id text PRIMARY KEY, revision bigint NOT NULL, body text NOT NULL
  );

  CREATE TABLE opsdeck.alert (
    fingerprint text PRIMARY KEY, content text NOT NULL, starts_at bigint NOT NULL, ends_at bigint NOT NULL,
    updated_at bigint NOT NULL, timeout boolean NOT NULL, settled boolean NOT NULL
  ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);

  CREATE TABLE opsdeck.flush (
    id text PRIMARY KEY, next_at timestamptz NOT NULL, flushed boolean NOT NULL, owner uuid, in_doubt boolean NOT NULL,
    lease_until timestamptz NOT NULL, fence bigint NOT NULL
  ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
  CREATE SEQUENCE opsdeck.fence;

  CREATE TABLE opsdeck.notification (
    key text PRIMARY KEY, at bigint NOT NULL, expires_at bigint NOT NULL, body text NOT NULL
  ) WITH (fillfactor = 70);

  CREATE TABLE opsdeck.history (
    id bigserial PRIMARY KEY, at bigint NOT NULL, receiver text NOT NULL, integration text NOT NULL,
    group_key text NOT NULL, failed boolean NOT NULL, body text NOT NULL
  );
  CREATE INDEX history_at ON opsdeck.history (at, id);

  -- Two versions of an alert as one, whichever is stored first. The counterpart of joinVersions in domain/alert.ts.
  CREATE FUNCTION opsdeck.join_alerts(a opsdeck.alert, b opsdeck.alert) RETURNS opsdeck.alert LANGUAGE plpgsql IMMUTABLE AS $$
  DECLARE
    older opsdeck.alert := a;
    newer opsdeck.alert := b;
    joined opsdeck.alert;
  BEGIN
    IF (b.updated_at, b.ends_at, b.starts_at, b.timeout, b.content COLLATE "C")
      < (a.updated_at, a.ends_at, a.starts_at, a.timeout, a.content COLLATE "C") THEN
      older := b;
      newer := a;
    END IF;
    joined := newer;
    IF older.updated_at = newer.updated_at THEN joined.settled := older.settled OR newer.settled; END IF;
    IF (newer.ends_at > older.starts_at AND newer.ends_at < older.ends_at)
      OR (newer.starts_at > older.starts_at AND newer.starts_at < older.ends_at) THEN
      joined.starts_at := least(older.starts_at, newer.starts_at);
      IF (newer.ends_at <= newer.updated_at AND older.ends_at <= newer.updated_at)
        OR (newer.ends_at > newer.updated_at AND NOT older.timeout) THEN
        joined.ends_at := greatest(older.ends_at, newer.ends_at);
      END IF;
    END IF;
    RETURN joined;
  END $$;

  -- Whether a version says more than the stored one. The counterpart of saysMore in cluster/alerts.ts.
  CREATE FUNCTION opsdeck.says_more(stored opsdeck.alert, now opsdeck.alert) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT now.content <> stored.content OR now.starts_at <> stored.starts_at OR now.settled <> stored.settled
      OR now.timeout <> stored.timeout
      OR (now.ends_at <= now.updated_at) <> (stored.ends_at <= now.updated_at)
      OR 3 * abs(now.ends_at - stored.ends_at) > abs(now.ends_at - now.updated_at)
  $$`,
];

-- Partitions users, identities, sessions and session_times by their instance, into 16 parts each.
--
-- 1. Stop all servers, and make a backup. The tables are copied: that needs their size again, and its time.
-- 2. Run this as the owner of the schema: psql --single-transaction --set ON_ERROR_STOP=1 --file partition.sql
-- 3. Run svc store migrate, which creates the other indexes, and the grants of docs/postgres.md. Start the servers.
--
-- The number of parts can't be changed later without copying again. An instance is always within one part.

SET LOCAL search_path = svc, pg_catalog;

CREATE TABLE users_parts (LIKE users INCLUDING DEFAULTS) PARTITION BY HASH (instance_id);
CREATE TABLE identities_parts (LIKE identities INCLUDING DEFAULTS) PARTITION BY HASH (instance_id);
CREATE TABLE sessions_parts (LIKE sessions INCLUDING DEFAULTS) PARTITION BY HASH (instance_id);
CREATE TABLE session_times_parts (LIKE session_times) PARTITION BY HASH (instance_id);

DO $$ BEGIN
  FOR part IN 0..15 LOOP
    EXECUTE format('CREATE TABLE users_%s PARTITION OF users_parts
      FOR VALUES WITH (MODULUS 16, REMAINDER %s) WITH (fillfactor = 90)', part, part);
    EXECUTE format('CREATE TABLE identities_%s PARTITION OF identities_parts
      FOR VALUES WITH (MODULUS 16, REMAINDER %s) WITH (fillfactor = 90)', part, part);
    EXECUTE format('CREATE TABLE sessions_%s PARTITION OF sessions_parts
      FOR VALUES WITH (MODULUS 16, REMAINDER %s) WITH (fillfactor = 90)', part, part);
    EXECUTE format('CREATE TABLE session_times_%s PARTITION OF session_times_parts
      FOR VALUES WITH (MODULUS 16, REMAINDER %s)', part, part);
  END LOOP;
END $$;

INSERT INTO users_parts SELECT * FROM users;
INSERT INTO identities_parts SELECT * FROM identities;
INSERT INTO sessions_parts SELECT * FROM sessions;
INSERT INTO session_times_parts SELECT * FROM session_times;

DROP TABLE session_times, sessions, identities, users;
ALTER TABLE users_parts RENAME TO users;
ALTER TABLE identities_parts RENAME TO identities;
ALTER TABLE sessions_parts RENAME TO sessions;
ALTER TABLE session_times_parts RENAME TO session_times;

ALTER TABLE users
  ADD PRIMARY KEY (instance_id, id),
  ADD CONSTRAINT users_email UNIQUE (instance_id, email_folded),
  ADD FOREIGN KEY (instance_id) REFERENCES instances;
ALTER TABLE identities
  ADD PRIMARY KEY (instance_id, id),
  ADD CONSTRAINT identities_uid UNIQUE (instance_id, provider, uid),
  ADD FOREIGN KEY (instance_id, user_id) REFERENCES users (instance_id, id) ON DELETE CASCADE;
ALTER TABLE sessions
  ADD PRIMARY KEY (instance_id, session_id),
  ADD UNIQUE (instance_id, id),
  ADD FOREIGN KEY (instance_id, user_id) REFERENCES users (instance_id, id) ON DELETE CASCADE;
ALTER TABLE session_times ADD PRIMARY KEY (instance_id, id);

CREATE TRIGGER time_added AFTER INSERT OR DELETE ON sessions
  FOR EACH ROW EXECUTE FUNCTION note_session_time();
CREATE TRIGGER time_changed AFTER UPDATE ON sessions FOR EACH ROW
  WHEN ((OLD.instance_id, OLD.id, OLD.last_signin_at) IS DISTINCT FROM (NEW.instance_id, NEW.id, NEW.last_signin_at))
  EXECUTE FUNCTION note_session_time();

ANALYZE users, identities, sessions, session_times;

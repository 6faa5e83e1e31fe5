/**
 * The schema's versions: the first makes it, each further one changes what the one before left. What was released is
 * never edited. Everything lies in a schema of its own, so that the database may hold other things too.
 */
export const MIGRATIONS: readonly string[] = [
  `
CREATE TABLE svc.instances (
  position bigint GENERATED ALWAYS AS IDENTITY,
  id text COLLATE "C" PRIMARY KEY,
  app_id text NOT NULL,
  name text NOT NULL,
  subdomain text NOT NULL UNIQUE,
  active boolean NOT NULL,
  publishable_key text NOT NULL UNIQUE,
  secret_key text NOT NULL UNIQUE,
  default_provider text NOT NULL,
  redirect_uris json NOT NULL,
  connections json NOT NULL,
  created_at timestamptz(3) NOT NULL
);

CREATE TABLE svc.personas (
  position bigint GENERATED ALWAYS AS IDENTITY,
  id text COLLATE "C" PRIMARY KEY,
  name text,
  email text NOT NULL,
  avatar_url text,
  google json,
  github json,
  twitter json
);

CREATE TABLE svc.users (
  position bigint GENERATED ALWAYS AS IDENTITY,
  id text COLLATE "C" PRIMARY KEY,
  instance_id text COLLATE "C" NOT NULL CONSTRAINT users_instance_id_fkey REFERENCES svc.instances,
  email text NOT NULL,
  name text NOT NULL,
  avatar_url text,
  email_verified_at timestamptz(3),
  password_digest text,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  email_folded text COLLATE "C" NOT NULL,
  name_folded text COLLATE "C" NOT NULL,
  avatar_url_folded text COLLATE "C"
);
CREATE UNIQUE INDEX users_email ON svc.users (instance_id, email_folded);
CREATE INDEX users_newest ON svc.users (instance_id, created_at DESC, id);

CREATE TABLE svc.identities (
  position bigint GENERATED ALWAYS AS IDENTITY,
  id text COLLATE "C" PRIMARY KEY,
  instance_id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL REFERENCES svc.users ON DELETE CASCADE,
  provider text COLLATE "C" NOT NULL,
  uid text COLLATE "C" NOT NULL,
  email text NOT NULL,
  email_verified boolean NOT NULL,
  access_token text,
  refresh_token text,
  token_expires_at timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL
);
CREATE UNIQUE INDEX identities_uid ON svc.identities (instance_id, provider, uid);
CREATE INDEX identities_user ON svc.identities (user_id, position);

CREATE TABLE svc.sessions (
  position bigint GENERATED ALWAYS AS IDENTITY,
  id text COLLATE "C" NOT NULL UNIQUE,
  session_id text COLLATE "C" PRIMARY KEY,
  instance_id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL REFERENCES svc.users ON DELETE CASCADE,
  provider text COLLATE "C" NOT NULL,
  name text NOT NULL,
  email text NOT NULL,
  ip_address text NOT NULL,
  geo_data json NOT NULL,
  logged_in_at timestamptz(3) NOT NULL,
  last_signin_at timestamptz(3) NOT NULL,
  revoked_at timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  name_folded text COLLATE "C" NOT NULL,
  email_folded text COLLATE "C" NOT NULL,
  ip_address_folded text COLLATE "C" NOT NULL
);
CREATE INDEX sessions_newest ON svc.sessions (instance_id, last_signin_at DESC, id);
CREATE INDEX sessions_user ON svc.sessions (user_id, position);
CREATE INDEX sessions_email ON svc.sessions (instance_id, email_folded);
CREATE INDEX sessions_ip_address ON svc.sessions (instance_id, ip_address_folded);

CREATE TABLE svc.states (
  position bigint GENERATED ALWAYS AS IDENTITY,
  state text COLLATE "C" PRIMARY KEY,
  instance_id text COLLATE "C" NOT NULL,
  provider text NOT NULL,
  redirect_uri text NOT NULL,
  code_verifier text,
  binding text,
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX states_oldest ON svc.states (instance_id, position);

-- Clears away what has expired, from the oldest to the first that has not, and adds one; what another process is clearing
-- is left to it. The plan must not depend on how many there were when it was made: they come and go by thousands.
CREATE FUNCTION svc.save_state(state_row json, at_most int) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  instance text := state_row->>'instance_id';
  moment timestamptz := state_row->>'created_at';
  fresh bigint;
BEGIN
  IF (SELECT s.expires_at FROM svc.states s WHERE s.instance_id = instance ORDER BY s.position LIMIT 1) <= moment THEN
    SELECT s.position INTO fresh FROM svc.states s
      WHERE s.instance_id = instance AND s.expires_at > moment ORDER BY s.position LIMIT 1;
    DELETE FROM svc.states WHERE ctid = ANY (ARRAY(
      SELECT s.ctid FROM svc.states s
      WHERE s.instance_id = instance AND s.position < coalesce(fresh, 9223372036854775807)
      ORDER BY s.position LIMIT at_most FOR UPDATE SKIP LOCKED));
  END IF;
  INSERT INTO svc.states (state, instance_id, provider, redirect_uri, code_verifier, binding, created_at, expires_at)
    SELECT state, instance_id, provider, redirect_uri, code_verifier, binding, created_at, expires_at
    FROM json_populate_record(NULL::svc.states, state_row);
END $$;

-- A store that is being filled from elsewhere, and how far that has come. No row: a store.
CREATE TABLE svc.filling (fingerprint text NOT NULL, entries bigint NOT NULL);

-- The person who signs in, as far as known: the owner of the identity, else of the e-mail address. The version changes
-- with every row that was looked at.
CREATE FUNCTION svc.acquaintance(instance text, provider_name text, provider_uid text, folded_email text, ip text)
RETURNS TABLE (version text, "user" json, identities json, session json) LANGUAGE plpgsql STABLE AS $$
DECLARE owner text;
BEGIN
  SELECT i.user_id INTO owner FROM svc.identities i
    WHERE i.instance_id = instance AND i.provider = provider_name AND i.uid = provider_uid;
  IF owner IS NULL THEN
    SELECT u.id INTO owner FROM svc.users u WHERE u.instance_id = instance AND u.email_folded = folded_email;
  END IF;
  RETURN QUERY
    SELECT concat_ws(' ', u.id, u.xmin, i.versions, s.session_id, s.xmin), row_to_json(u), i.list, row_to_json(s)
    FROM svc.users u
    LEFT JOIN LATERAL (
      SELECT string_agg(own.id || ' ' || own.xmin, ' ' ORDER BY own.position) AS versions,
        json_agg(own ORDER BY own.position) AS list
      FROM svc.identities own WHERE own.user_id = u.id) i ON true
    LEFT JOIN LATERAL (
      SELECT own.*, own.xmin FROM svc.sessions own
      WHERE own.user_id = u.id AND own.provider = provider_name AND own.ip_address = ip AND own.revoked_at IS NULL
      ORDER BY own.position LIMIT 1) s ON true
    WHERE u.id = owner;
END $$;

-- Writes the outcome of a sign-in, unless anything of what was decided from has changed since: then false. The locks
-- bring those who would make the same user into line, always the identity before the address.
CREATE FUNCTION svc.complete_sign_in(
  instance text, provider_name text, provider_uid text, folded_email text, ip text, decided_from text,
  user_row json, identity_row json, session_row json)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE found text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(concat_ws(' ', instance, provider_name, provider_uid), 7821));
  PERFORM pg_advisory_xact_lock(hashtextextended(concat_ws(' ', instance, folded_email), 7822));
  PERFORM FROM svc.users u WHERE u.id = user_row->>'id' FOR UPDATE;
  SELECT a.version INTO found FROM svc.acquaintance(instance, provider_name, provider_uid, folded_email, ip) a;
  IF found IS DISTINCT FROM decided_from THEN RETURN false; END IF;
  INSERT INTO svc.users (
      id, instance_id, email, name, avatar_url, email_verified_at, password_digest, created_at, updated_at,
      email_folded, name_folded, avatar_url_folded)
    SELECT
      id, instance_id, email, name, avatar_url, email_verified_at, password_digest, created_at, updated_at,
      email_folded, name_folded, avatar_url_folded
    FROM json_populate_record(NULL::svc.users, user_row)
    ON CONFLICT (id) DO UPDATE SET
      instance_id = excluded.instance_id, email = excluded.email, name = excluded.name,
      avatar_url = excluded.avatar_url, email_verified_at = excluded.email_verified_at,
      password_digest = excluded.password_digest, created_at = excluded.created_at,
      updated_at = excluded.updated_at, email_folded = excluded.email_folded, name_folded = excluded.name_folded,
      avatar_url_folded = excluded.avatar_url_folded;
  INSERT INTO svc.identities (
      id, instance_id, user_id, provider, uid, email, email_verified, access_token, refresh_token, token_expires_at,
      created_at, updated_at)
    SELECT
      id, instance_id, user_id, provider, uid, email, email_verified, access_token, refresh_token, token_expires_at,
      created_at, updated_at
    FROM json_populate_record(NULL::svc.identities, identity_row)
    ON CONFLICT (id) DO UPDATE SET
      instance_id = excluded.instance_id, user_id = excluded.user_id, provider = excluded.provider,
      uid = excluded.uid, email = excluded.email, email_verified = excluded.email_verified,
      access_token = excluded.access_token, refresh_token = excluded.refresh_token,
      token_expires_at = excluded.token_expires_at, created_at = excluded.created_at,
      updated_at = excluded.updated_at;
  INSERT INTO svc.sessions (
      id, session_id, instance_id, user_id, provider, name, email, ip_address, geo_data, logged_in_at,
      last_signin_at, revoked_at, created_at, name_folded, email_folded, ip_address_folded)
    SELECT
      id, session_id, instance_id, user_id, provider, name, email, ip_address, geo_data, logged_in_at,
      last_signin_at, revoked_at, created_at, name_folded, email_folded, ip_address_folded
    FROM json_populate_record(NULL::svc.sessions, session_row)
    ON CONFLICT (session_id) DO UPDATE SET
      id = excluded.id, instance_id = excluded.instance_id, user_id = excluded.user_id,
      provider = excluded.provider, name = excluded.name, email = excluded.email, ip_address = excluded.ip_address,
      geo_data = excluded.geo_data, logged_in_at = excluded.logged_in_at, last_signin_at = excluded.last_signin_at,
      revoked_at = excluded.revoked_at, created_at = excluded.created_at, name_folded = excluded.name_folded,
      email_folded = excluded.email_folded, ip_address_folded = excluded.ip_address_folded;
  RETURN true;
END $$;
`,
];

/** What a search for a part of a text goes through. */
export const TRIGRAM_INDEXES: readonly (readonly [name: string, table: string, column: string])[] = [
  ["users_email_trigrams", "users", "email_folded"],
  ["users_name_trigrams", "users", "name_folded"],
  ["sessions_email_trigrams", "sessions", "email_folded"],
  ["sessions_name_trigrams", "sessions", "name_folded"],
];

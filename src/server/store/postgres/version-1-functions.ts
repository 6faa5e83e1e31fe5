/** Released with version 1 of the schema: never edited. What must be decided and written in one step. */
export const FUNCTIONS = `
-- A connection keeps its plans. A plan made while a table was small would still read all of it once it has grown, so
-- these functions never read a whole table. Their search_path keeps functions and operators of other roles out.

-- Clears away what has expired, from the oldest to the first that has not, and adds one; what another process is clearing
-- is left to it.
CREATE FUNCTION svc.save_state(state_row json, at_most int) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off AS $$
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

-- The person who signs in, as far as known: the owner of the identity, else of the e-mail address. The version changes
-- with every row that was looked at.
CREATE FUNCTION svc.acquaintance(instance text, provider_name text, provider_uid text, folded_email text, ip text)
RETURNS TABLE (version text, "user" json, identities json, session json) LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
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
RETURNS boolean LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
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
`;

/** Released with version 1 of the schema: never edited. Text that is compared is ordered by its bytes, as in every store. */
export const TABLES = `
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

-- A store that is being filled from elsewhere, and how far that has come. No row: a store.
CREATE TABLE svc.filling (fingerprint text NOT NULL, entries bigint NOT NULL);
`;

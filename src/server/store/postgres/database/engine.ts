/** A server that speaks PostgreSQL's protocol and can't keep what the store promises. */
export class UnsupportedEngine extends Error {
  override readonly name = "UnsupportedEngine";
  readonly code = "UNSUPPORTED_ENGINE";
}

/** By what `version()` says. `docs/postgres.md` has the same list. */
const REFUSED: readonly (readonly [sign: RegExp, name: string, why: string])[] = [
  [/CockroachDB/i, "CockroachDB", "it has no row versions (xmin), and other locks"],
  [/-YB-|Yugabyte/i, "YugabyteDB", "it has no row versions (xmin), and other locks"],
  [/Redshift/i, "Amazon Redshift", "it does not enforce unique and foreign keys"],
  [/Greenplum|Cloudberry/i, "Greenplum", "its unique keys must contain the distribution key"],
  [/GaussDB/i, "GaussDB", "it branched off before PostgreSQL 13"],
  [/Spanner/i, "Spanner", "it has no PL/pgSQL and no row versions (xmin)"],
  [/DSQL/i, "Aurora DSQL", "it has no foreign keys, sequences and PL/pgSQL"],
  [/Materialize|RisingWave/i, "a streaming database", "it has no row locks and unique keys"],
  [/CrateDB|QuestDB|DuckDB/i, "an analytical database", "it has no transactions with row locks"],
];

/** It is sent to a server of which nothing else is known. */
export const READ_VERSION = "SELECT pg_catalog.version() AS version";

/** @throws {UnsupportedEngine} if the version is that of an engine by its name */
export function checkEngine(version: string): void {
  const found = REFUSED.find(([sign]) => sign.test(version));
  if (found) throw new UnsupportedEngine(`it is ${found[1]}, not PostgreSQL: ${found[2]}. Use PostgreSQL 13 or newer`);
}

/** What the statements of a sign-in need, and engines without a name of their own may lack. */
export const READ_FEATURES = `SELECT (SELECT count(*) FROM pg_language WHERE lanname = 'plpgsql')::int AS languages,
  (SELECT xmin::text FROM pg_class LIMIT 1) AS row_version`;

/** The variables of libpq that an address leaves room for. */
export interface PostgresEnvironment {
  readonly PGHOST?: string | undefined;
  readonly PGPORT?: string | undefined;
  readonly PGUSER?: string | undefined;
  readonly PGPASSWORD?: string | undefined;
  readonly PGPASSFILE?: string | undefined;
  readonly PGDATABASE?: string | undefined;
  readonly PGSSLMODE?: string | undefined;
  readonly PGSSLROOTCERT?: string | undefined;
  readonly PGCONNECT_TIMEOUT?: string | undefined;
  readonly PGOPTIONS?: string | undefined;
  readonly PGTARGETSESSIONATTRS?: string | undefined;
}

/** Every PostgreSQL client reads these by itself; svc's driver would otherwise read some of them, with other meanings. */
export function postgresEnvironment(): PostgresEnvironment {
  // eslint-disable-next-line node/no-process-env
  return process.env as PostgresEnvironment;
}

/** A transaction that others may wait for. */
export interface LockHolder {
  readonly pid: number;
  readonly program: string;
  readonly role: string;
  readonly mode: string;
  readonly relation: string;
}

/** Those of our own that are under way wait themselves, or are young. What another role's transaction does is not shown to us. */
export const LOCK_HOLDERS = `SELECT DISTINCT ON (held.pid) held.pid, held.mode, held.relation::regclass::text AS relation,
    coalesce(nullif(activity.application_name, ''), 'unnamed') AS program, coalesce(activity.usename::text, '?') AS role
  FROM pg_locks AS held JOIN pg_stat_activity AS activity ON activity.pid = held.pid
  WHERE held.locktype = 'relation' AND held.granted AND held.pid <> pg_backend_pid()
    AND held.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND held.relation IN (SELECT oid FROM pg_class WHERE relnamespace = 'svc'::regnamespace AND relkind IN ('r', 'p'))
    AND NOT EXISTS (SELECT FROM pg_locks AS waiting WHERE waiting.pid = held.pid AND NOT waiting.granted)
    AND coalesce(clock_timestamp() - activity.xact_start > interval '1 s', true)
  ORDER BY held.pid, held.mode LIMIT 3`;

/** A sentence on why statements ran into their time limit. */
export function describeHolders(holders: readonly LockHolder[]): string {
  if (holders.length === 0) return "No other transaction holds a lock on svc's tables: the database is slow.";
  const all = holders.map(
    ({ pid, program, role, mode, relation }) =>
      `${mode} on ${relation}, held by process ${pid} (${program}, role ${role})`,
  );
  return `Locks: ${all.join("; ")}.`;
}

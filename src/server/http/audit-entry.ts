// Programs that start a server see these types, and need none of h3's.

/** What changes records or keys. What a sign-in changes is its flow. */
export type AuditAction =
  | "user_created"
  | "user_changed"
  | "user_deleted"
  | "session_revoked"
  | "session_restored"
  | "sessions_pruned"
  | "instance_created"
  | "instance_changed"
  | "instance_deleted"
  | "keys_replaced"
  | "old_keys_revoked"
  | "dashboard_keys_revoked"
  | "connection_changed"
  | "connection_deleted"
  | "records_imported"
  | "records_reset"
  | "snapshot_restored"
  | "snapshot_deleted";

/** The log entry of something that was done. It contains no secret. */
export interface AuditEntry {
  readonly action: AuditAction;
  /** The subdomain of the instance; null for all of them. */
  readonly instance: string | null;
  /** Of the one record, or the name of the provider or the snapshot. */
  readonly id: string | null;
  /** How many records: users for an import, a reset and a restore. */
  readonly count: number;
  /** That of the request's own entry; null if the server did it by itself. */
  readonly request_id: string | null;
  /** The client's. */
  readonly address: string | null;
  /** The last four characters of the secret key; `control` for the control API; else what did it by itself. */
  readonly key: string | null;
}

/** What no request asked for: a start with `--reset`, retention, or `svc store` beside a server. */
export function withoutRequest(
  key: "start" | "retention" | "store",
  { instance = null, ...deed }: Pick<AuditEntry, "action" | "count"> & Partial<Pick<AuditEntry, "instance">>,
): AuditEntry {
  return { ...deed, instance, id: null, request_id: null, address: null, key };
}

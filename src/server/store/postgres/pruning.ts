import type { Store } from "../store.ts";
import type { Database } from "./database/database.ts";
import { timestampOf } from "./database/timestamps.ts";

/**
 * A locked row is read again as it is then, so one that was renewed stays. Rows that a sign-in or another server has are
 * left to the next time, so that nobody waits.
 */
const PRUNE = `WITH gone AS (
    DELETE FROM svc.sessions AS row WHERE row.instance_id = $1::text AND row.id = ANY (ARRAY(
      SELECT own.id FROM svc.session_times listed
      JOIN svc.sessions own ON own.instance_id = listed.instance_id AND own.id = listed.id
      WHERE listed.instance_id = $1::text AND listed.last_signin_at < $2::text::timestamptz
        AND own.last_signin_at < $2::text::timestamptz
        AND (own.revoked_at IS NULL OR own.revoked_at < $2::text::timestamptz)
      ORDER BY listed.last_signin_at LIMIT $3::text::int FOR UPDATE OF own SKIP LOCKED))
    RETURNING 1)
  SELECT count(*)::int AS deleted FROM gone`;

export function createPruning({ query }: Database): Pick<Store, "pruneSessions"> {
  return {
    async pruneSessions(instance_id, before, limit) {
      const [row] = await query<{ deleted: number }>(PRUNE, [instance_id, timestampOf(before), String(limit)]);
      return row!.deleted;
    },
  };
}

import type { StateRecord } from "../records.ts";
import type { Store } from "../store.ts";
import type { Database } from "./database.ts";
import { columnsOf, toRow, writtenColumnsOf } from "./rows.ts";

/** Anybody may begin a sign-in, so what that leaves behind is bounded; looked after every so many of this process. */
const MAX_STATES = 50_000;
const TRIM_EVERY = 128;
/** What one request may have to clear away. */
const MAX_PASSED = 1000;

const COLUMNS = writtenColumnsOf("states").join(", ");

/** The oldest, up to the first that has not expired; what another process is removing just now is left to it. */
const SAVE = `WITH passed AS (
  DELETE FROM svc.states WHERE state IN (
    SELECT old.state FROM svc.states AS old
    WHERE old.instance_id = $2::text AND old.expires_at <= $3::text::timestamptz AND old.position < coalesce(
      (SELECT min(position) FROM svc.states WHERE instance_id = $2::text AND expires_at > $3::text::timestamptz),
      9223372036854775807)
    ORDER BY old.position LIMIT ${MAX_PASSED} FOR UPDATE SKIP LOCKED))
INSERT INTO svc.states (${COLUMNS}) SELECT ${COLUMNS} FROM json_populate_record(NULL::svc.states, $1::text::json)`;

const TRIM = `DELETE FROM svc.states WHERE instance_id = $1::text AND position <= (
  SELECT position FROM svc.states WHERE instance_id = $1::text ORDER BY position DESC OFFSET ${MAX_STATES} LIMIT 1)`;

const TAKE = `DELETE FROM svc.states AS row WHERE row.state = $1::text RETURNING ${columnsOf("states", "row")}`;

export function createStates({ query }: Database): Pick<Store, "saveState" | "takeState"> {
  let saved = 0;
  return {
    async saveState(record) {
      const row = toRow("states", record);
      await query(SAVE, [JSON.stringify(row), record.instance_id, row["created_at"] as string]);
      if (++saved % TRIM_EVERY === 0) await query(TRIM, [record.instance_id]);
    },

    async takeState(state) {
      if (state.includes("\0")) return undefined;
      const [record] = await query<StateRecord>(TAKE, [state]);
      return record;
    },
  };
}

import type { StateRecord } from "../records.ts";
import type { Store } from "../store.ts";
import type { Database } from "./database.ts";
import { selected, toRow } from "./rows.ts";

/** Anyone may start a sign-in, so the number of unfinished ones is bounded. Checked after every `TRIM_EVERY` of this process. */
const MAX_STATES = 50_000;
const TRIM_EVERY = 128;
/** The number dropped at once: far more than all processes add between two checks. */
const MAX_DROPPED = 5000;
/** The most expired states that one request removes. */
const MAX_PASSED = 1000;

const SAVE = `SELECT svc.save_state($1::text::json, ${MAX_PASSED})`;

/** Rows that another process is removing are skipped, so that nothing waits. */
const TRIM = `DELETE FROM svc.states WHERE ctid = ANY (ARRAY(
  SELECT s.ctid FROM svc.states s WHERE s.instance_id = $1::text AND s.position <= (
    SELECT position FROM svc.states WHERE instance_id = $1::text ORDER BY position DESC OFFSET ${MAX_STATES} LIMIT 1)
  ORDER BY s.position LIMIT ${MAX_DROPPED} FOR UPDATE SKIP LOCKED))`;

const TAKE = `DELETE FROM svc.states AS row WHERE row.state = $1::text RETURNING ${selected("states")}`;

export function createStates({ query }: Database): Pick<Store, "saveState" | "takeState"> {
  let saved = 0;
  return {
    async saveState(record) {
      await query(SAVE, [JSON.stringify(toRow("states", record))]);
      if (++saved % TRIM_EVERY === 0) await query(TRIM, [record.instance_id]);
    },

    async takeState(state) {
      if (state.includes("\0")) return undefined;
      const [record] = await query<StateRecord>(TAKE, [state]);
      return record && { record, removed: Promise.resolve(true) };
    },
  };
}

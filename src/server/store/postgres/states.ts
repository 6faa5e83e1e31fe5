import type { StateRecord } from "../records.ts";
import type { Store } from "../store.ts";
import type { Database } from "./database.ts";
import { selected, toRow } from "./rows.ts";

/** Anyone may begin a sign-in, so what that leaves behind is bounded, checked after every `TRIM_EVERY` of this process. */
const MAX_STATES = 50_000;
const TRIM_EVERY = 128;
/** At once; far more than all processes add between two checks. */
const MAX_DROPPED = 5000;
/** What one request may have to clear away. */
const MAX_PASSED = 1000;

const SAVE = `SELECT svc.save_state($1::text::json, ${MAX_PASSED})`;

/** What another process is dropping, or taking, is left to it: nothing waits for anything here. */
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

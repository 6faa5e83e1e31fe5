import type { StateRecord } from "../records.ts";
import type { Store } from "../store.ts";
import type { Database } from "./database/database.ts";
import { selected, storedNames, toRow } from "./rows.ts";

/** Anyone may start a sign-in, so the number of unfinished ones is bounded. Checked after every `TRIM_EVERY` of this process. */
const MAX_STATES = 50_000;
const TRIM_EVERY = 128;
/** The number dropped at once: far more than all processes add between two checks. */
const MAX_DROPPED = 5000;
/** The most expired states that one request removes. */
const MAX_PASSED = 1000;
/**
 * How often a process looks for expired states of an instance. A search for the oldest walks over all removed rows that
 * VACUUM can't take away yet: hundreds of thousands, while another program keeps a transaction open for an hour.
 */
const LOOK_EVERY_MS = 10_000;

const SAVE = `INSERT INTO svc.states (${storedNames("states")})
  SELECT ${storedNames("states")} FROM json_populate_record(NULL::svc.states, $1::text::json)`;

/** Removes expired states as well. */
const LOOK_AND_SAVE = `SELECT svc.save_state($1::text::json, ${MAX_PASSED})`;

/** Rows that another process is removing are skipped, so that nothing waits. */
const TRIM = `DELETE FROM svc.states WHERE state = ANY (ARRAY(
  SELECT s.state FROM svc.states s WHERE s.instance_id = $1::text AND s.position <= (
    SELECT position FROM svc.states WHERE instance_id = $1::text ORDER BY position DESC OFFSET ${MAX_STATES} LIMIT 1)
  ORDER BY s.position LIMIT ${MAX_DROPPED} FOR UPDATE SKIP LOCKED))`;

const TAKE = `DELETE FROM svc.states AS row WHERE row.state = $1::text RETURNING ${selected("states")}`;

export function createStates({ query }: Database): Pick<Store, "saveState" | "takeState"> {
  let saved = 0;
  /** The time of the last look, by instance. The clock may go back. */
  const looked = new Map<string, number>();

  function isDue({ instance_id, created_at }: StateRecord): boolean {
    const now = Date.parse(created_at);
    if (Math.abs(now - (looked.get(instance_id) ?? -Infinity)) < LOOK_EVERY_MS) return false;
    looked.set(instance_id, now);
    return true;
  }

  return {
    async saveState(record) {
      await query(isDue(record) ? LOOK_AND_SAVE : SAVE, [JSON.stringify(toRow("states", record))]);
      if (++saved % TRIM_EVERY === 0) await query(TRIM, [record.instance_id]);
    },

    async takeState(state) {
      if (state.includes("\0")) return undefined;
      const [record] = await query<StateRecord>(TAKE, [state]);
      return record && { record, removed: Promise.resolve(true) };
    },
  };
}

import { fold } from "../../../text/fold.ts";
import type { IdentityRecord, SessionRecord, StateRecord } from "../records.ts";
import { StorageUnavailable, type Cleared, type SignInLookup, type StoredSignIn, type Store } from "../store.ts";
import type { Database } from "./database/database.ts";
import { isConflict } from "./database/failures.ts";
import type { Ask, Value } from "./database/session.ts";
import { timestampOf } from "./database/connection.ts";
import { fromJsonRow, toRow, selected, storedNames } from "./rows.ts";

interface LookupRow {
  readonly version: string;
  readonly user: object;
  readonly identities: object[] | null;
  readonly session: object | null;
}

const FIND = `SELECT * FROM svc.acquaintance($1::text, $2::text, $3::text, $4::text, $5::text)`;
const WRITE = `SELECT svc.complete_sign_in($1::text, $2::text, $3::text, $4::text, $5::text, $6::text,
  $7::text::json, $8::text::json, $9::text::json) AS written`;
const REMOVE_IDENTITIES = `DELETE FROM svc.identities
  WHERE instance_id = $1::text AND user_id = $2::text AND id IN (SELECT json_array_elements_text($3::text::json))`;
const REVOKE_SESSIONS = `UPDATE svc.sessions SET revoked_at = $3::text::timestamptz
  WHERE instance_id = $1::text AND user_id = $2::text AND revoked_at IS NULL AND session_id <> $4::text`;

/**
 * Reads, decides in this process, and writes under locks if nothing has changed meanwhile; otherwise it starts over. So no
 * transaction is open during the decision, and two round trips are enough.
 */
export async function completeSignIn(database: Database, signIn: StoredSignIn) {
  const until = database.deadline();
  const who = [signIn.instance_id, signIn.provider, signIn.uid, fold(signIn.email), signIn.ip_address];
  for (;;) {
    const [row] = await database.query<LookupRow>(FIND, who, { until });
    const { user, identity, cleared } = signIn.resolveUser(row ? lookupOf(row, signIn) : {});
    const active = row?.session && !cleared ? fromJsonRow("sessions", row.session) : undefined;
    const session = signIn.openSession(user, active);
    const rows = [toRow("users", user), toRow("identities", identity), toRow("sessions", session)];
    try {
      const parameters = [...who, row?.version ?? null, ...rows.map((written) => JSON.stringify(written))];
      const isWritten = cleared
        ? // The locks of the sign-in are held to the end of the transaction, so that nothing is added to the user in between.
          await database.transaction(async (ask) => (await write(ask, parameters)) && clear(ask, cleared, session))
        : await write((text, values) => database.query(text, values, { until }), parameters);
      if (isWritten) return { user, session };
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
    if (performance.now() > until)
      throw new StorageUnavailable(`${database.location}: other sign-ins of the same user were faster each time`);
  }
}

async function write(ask: Ask, parameters: readonly Value[]): Promise<boolean> {
  const [outcome] = await ask<{ written: boolean }>(WRITE, parameters);
  return outcome!.written;
}

async function clear(ask: Ask, { identities, revoked_at }: Cleared, session: SessionRecord): Promise<true> {
  const { instance_id, user_id, session_id } = session;
  await ask(REMOVE_IDENTITIES, [instance_id, user_id, JSON.stringify(identities)]);
  await ask(REVOKE_SESSIONS, [instance_id, user_id, timestampOf(revoked_at), session_id]);
  return true;
}

function lookupOf(row: LookupRow, { provider, uid }: StoredSignIn): SignInLookup {
  const user = fromJsonRow("users", row.user);
  const identities = (row.identities ?? []).map((own): IdentityRecord => fromJsonRow("identities", own));
  const identity = identities.find((own) => own.provider === provider && own.uid === uid);
  return identity ? { known: { identity, user } } : { sameEmail: { user, identities } };
}

/** Anyone may start a sign-in, so the number of unfinished ones is bounded. Checked after every `TRIM_EVERY` of this process. */
const MAX_STATES = 50_000;
const TRIM_EVERY = 128;
/** The number dropped at once: far more than all processes add between two checks. */
const MAX_DROPPED = 5000;
const MAX_PASSED = 1000;
/**
 * How often a process looks for expired states of an instance. A search for the oldest walks over all removed rows that
 * VACUUM can't take away yet: hundreds of thousands, while another program keeps a transaction open for an hour.
 */
const LOOK_EVERY_MS = 10_000;

const SAVE = `INSERT INTO svc.states (${storedNames("states")})
  SELECT ${storedNames("states")} FROM json_populate_record(NULL::svc.states, $1::text::json)`;

const LOOK_AND_SAVE = `SELECT svc.save_state($1::text::json, ${MAX_PASSED})`;

/** Rows that another process is removing are skipped, so that nothing waits. */
const TRIM = `DELETE FROM svc.states WHERE state = ANY (ARRAY(
  SELECT s.state FROM svc.states s WHERE s.instance_id = $1::text AND s.position <= (
    SELECT position FROM svc.states WHERE instance_id = $1::text ORDER BY position DESC OFFSET ${MAX_STATES} LIMIT 1)
  ORDER BY s.position LIMIT ${MAX_DROPPED} FOR UPDATE SKIP LOCKED))`;

const TAKE = `DELETE FROM svc.states AS row WHERE row.state = $1::text RETURNING ${selected("states")}`;

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

export function createStates({ query }: Database) {
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

    /** Removed by a commit of its own: other processes may have its callback, too. */
    async claimState(state) {
      const [record] = await query<StateRecord>(TAKE, [state]);
      return record && { record, end: async () => {} };
    },

    async pruneSessions(instance_id, before, limit) {
      const [row] = await query<{ deleted: number }>(PRUNE, [instance_id, timestampOf(before), String(limit)]);
      return row!.deleted;
    },
  } satisfies Partial<Store>;
}

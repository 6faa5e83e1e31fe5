import { setImmediate } from "node:timers/promises";
import type { SessionRecord, UserRecord } from "../records.ts";
import { SearchTooSlow, type PageOptions, type Store, type UserView } from "../store.ts";
import { rootCauseOf, isTooSlow } from "./database/failures.ts";
import { timestampOf } from "./database/connection.ts";
import type { Database } from "./database/database.ts";
import { selected } from "./rows.ts";
import { condition, LISTED_TIME } from "./search.ts";
import { inBatches, type Value } from "./database/session.ts";
import { MAX_PAGE_SIZE } from "../../../http/request.ts";
import type { Provider } from "../../../wire/providers.ts";

/** Rows that are read at a time: a page of any size, with the row that shows whether there is a next one. */
const BATCH = MAX_PAGE_SIZE + 1;
/** Rows per batch. A batch becomes JSON in one step, during which other requests wait. */
const PIECE = 256;

type UserRow = UserRecord & { providers: string | null };

export const PROVIDERS_OF_USER = `(SELECT string_agg(own.provider, ' ' ORDER BY own.position)
  FROM svc.identities own WHERE own.instance_id = row.instance_id AND own.user_id = row.id) AS providers`;

export function viewOf({ providers, ...user }: UserRow): UserView {
  return { user, providers: [...new Set(providers?.split(" "))] as Provider[] };
}

/** The two lists, in SQL, and the table that leads them. */
const USERS = {
  table: "users",
  columns: `${selected("users")}, ${PROVIDERS_OF_USER}`,
  from: "svc.users AS row",
  leader: "row",
  time: "row.created_at",
} as const;
const SESSIONS = {
  table: "sessions",
  columns: selected("sessions"),
  from: `svc.session_times AS listed
    JOIN svc.sessions AS row ON row.instance_id = listed.instance_id AND row.id = listed.id`,
  leader: "listed",
  time: LISTED_TIME,
} as const;
type List = typeof USERS | typeof SESSIONS;

export function createLists(database: Database) {
  return {
    users: (instance_id, page) =>
      inPieces(batches<UserRow>(database, statementOf(USERS, instance_id, page), page), viewOf),
    sessions: (instance_id, page) =>
      inPieces(batches<SessionRecord>(database, statementOf(SESSIONS, instance_id, page), page), (row) => row),
  } satisfies Partial<Store>;
}

function statementOf({ table, columns, from, leader, time }: List, instance_id: string, page: PageOptions) {
  const { after, query } = page;
  const values: Value[] = [instance_id];
  const bind = (value: string): string => `$${values.push(value)}::text`;
  const conditions = [`${leader}.instance_id = $1::text`];
  if (after) {
    const moment = `${bind(timestampOf(after.time))}::timestamptz`;
    conditions.push(`${time} <= ${moment}`, `(${time} < ${moment} OR ${leader}.id > ${bind(after.id)})`);
  }
  if (query) conditions.push(condition(table, query, bind));
  const text = `SELECT ${columns} FROM ${from} WHERE ${conditions.join(" AND ")} ORDER BY ${time} DESC, ${leader}.id`;
  return { text, values };
}

async function* batches<Row extends object>(
  database: Database,
  { text, values }: ReturnType<typeof statementOf>,
  { query, limit = Infinity }: PageOptions,
): AsyncIterable<Row[]> {
  const isSearch = query !== undefined;
  try {
    const first = await database.query<Row>(`${text} LIMIT ${Math.min(limit, BATCH) + 1}`, values, { isSearch });
    if (first.length <= BATCH || limit <= BATCH) {
      const rows = first.slice(0, limit);
      if (rows.length > 0) yield rows;
      return;
    }
    // A long list is read again through a cursor, which has a consistent view however long that takes.
    const session = await database.openList();
    try {
      await session.begin("ISOLATION LEVEL REPEATABLE READ READ ONLY");
      const limited = limit === Infinity ? text : `${text} LIMIT ${limit}`;
      yield* inBatches<Row>(session.ask, "page", BATCH, limited, values);
    } finally {
      await session.close();
    }
  } catch (error) {
    if (isSearch && isTooSlow(rootCauseOf(error))) throw new SearchTooSlow("the statement timeout", { cause: error });
    throw error;
  }
}

async function* inPieces<Row, Out>(rows: AsyncIterable<Row[]>, present: (row: Row) => Out): AsyncIterable<Out[]> {
  for await (const batch of rows)
    for (let start = 0; start < batch.length; start += PIECE) {
      await setImmediate();
      yield batch.slice(start, start + PIECE).map(present);
    }
}

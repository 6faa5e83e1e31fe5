import type { SessionRecord, UserRecord } from "../records.ts";
import { slices } from "../slices.ts";
import { SearchTooSlow, StorageUnavailable, type PageOptions, type Store, type UserView } from "../store.ts";
import { causeOf, isTooSlow } from "./database/failures.ts";
import { timestampOf } from "./database/connection.ts";
import { turn, type Reader, type Readers } from "./readers.ts";
import { selected } from "./rows.ts";
import { condition, LISTED_TIME } from "./search.ts";
import { inBatches, type Value } from "./database/session.ts";
import { MAX_PAGE_SIZE } from "../../../wire/http/request.ts";
import type { Provider } from "../../../wire/providers.ts";

/** Rows that are read at a time: a page of any size, with the row that shows whether there is a next one. */
const BATCH = MAX_PAGE_SIZE + 1;
/** Rows per batch. A batch becomes JSON in one step, during which other requests wait. */
const PIECE = 256;

type UserRow = UserRecord & { providers: string | null };

/** The providers of a user row, oldest link first. */
export const PROVIDERS_OF_USER = `(SELECT string_agg(own.provider, ' ' ORDER BY own.position)
  FROM svc.identities own WHERE own.instance_id = row.instance_id AND own.user_id = row.id) AS providers`;

export function viewOf({ providers, ...user }: UserRow): UserView {
  return { user, providers: [...new Set(providers?.split(" "))] as Provider[] };
}

/** The two lists, in SQL. */
const USERS = {
  table: "users",
  columns: `${selected("users")}, ${PROVIDERS_OF_USER}`,
  from: "svc.users AS row",
  place: { instance_id: "row.instance_id", time: "row.created_at", id: "row.id" },
} as const;
const SESSIONS = {
  table: "sessions",
  columns: selected("sessions"),
  from: `svc.session_times AS listed
    JOIN svc.sessions AS row ON row.instance_id = listed.instance_id AND row.id = listed.id`,
  place: { instance_id: "listed.instance_id", time: LISTED_TIME, id: "listed.id" },
} as const;
type List = typeof USERS | typeof SESSIONS;

export function createLists(readers: Readers): Pick<Store, "users" | "sessions"> {
  function list<Row extends object>(of: List, instance_id: string, options: PageOptions): AsyncIterable<Row[]> {
    const { after, query } = options;
    const values: Value[] = [instance_id];
    const bind = (value: string): string => `$${values.push(value)}::text`;
    const { columns, from, place } = of;
    const conditions = [`${place.instance_id} = $1::text`];
    if (after) {
      const time = `${bind(timestampOf(after.time))}::timestamptz`;
      conditions.push(`${place.time} <= ${time}`, `(${place.time} < ${time} OR ${place.id} > ${bind(after.id)})`);
    }
    if (query) conditions.push(condition(of.table, query, bind));
    const text = `SELECT ${columns} FROM ${from} WHERE ${conditions.join(" AND ")}
      ORDER BY ${place.time} DESC, ${place.id}`;
    return batches(text, values, options);
  }

  /** From a replica if one is recent enough, and from the primary if that fails before there was anything to answer. */
  async function* batches<Row extends object>(
    text: string,
    values: readonly Value[],
    options: PageOptions,
  ): AsyncIterable<Row[]> {
    const replica = options.isFresh ? undefined : await readers.replica();
    let hasBegun = false;
    try {
      for await (const rows of batchesOf<Row>(replica ?? readers.primary, text, values, options)) {
        hasBegun = true;
        yield rows;
      }
    } catch (error) {
      if (!replica || hasBegun || !(error instanceof StorageUnavailable)) throw error;
      yield* batchesOf<Row>(readers.primary, text, values, options);
    }
  }

  async function* batchesOf<Row extends object>(
    reader: Reader,
    text: string,
    values: readonly Value[],
    { query, limit = Infinity }: PageOptions,
  ): AsyncIterable<Row[]> {
    const isSearch = query !== undefined;
    try {
      const first = await firstRows<Row>(reader, `${text} LIMIT ${Math.min(limit, BATCH) + 1}`, values, isSearch);
      if (first.length <= BATCH || limit <= BATCH) {
        const rows = first.slice(0, limit);
        if (rows.length > 0) yield rows;
        return;
      }
      // A long list is read again through a cursor, which has a consistent view however long that takes.
      await turn(reader, reader.cursors);
      const session = reader.database.openSession();
      try {
        await session.begin("ISOLATION LEVEL REPEATABLE READ READ ONLY");
        const limited = limit === Infinity ? text : `${text} LIMIT ${limit}`;
        yield* inBatches<Row>(session.ask, "page", BATCH, limited, values);
      } finally {
        reader.cursors.release();
        await session.close();
      }
    } catch (error) {
      if (isSearch && isTooSlow(causeOf(error))) throw new SearchTooSlow("the statement timeout", { cause: error });
      throw error;
    }
  }

  async function firstRows<Row extends object>(
    reader: Reader,
    text: string,
    values: readonly Value[],
    isSearch: boolean,
  ): Promise<Row[]> {
    const { database, searches } = reader;
    if (!isSearch) return database.query<Row>(text, values);
    await turn(reader, searches);
    try {
      return await database.query<Row>(text, values, { isSearch });
    } finally {
      searches.release();
    }
  }

  return {
    users: (instance_id, options) => inPieces(list<UserRow>(USERS, instance_id, options), viewOf),
    sessions: (instance_id, options) => inPieces(list<SessionRecord>(SESSIONS, instance_id, options), (row) => row),
  };
}

async function* inPieces<Row, Out>(batches: AsyncIterable<Row[]>, present: (row: Row) => Out): AsyncIterable<Out[]> {
  for await (const batch of batches)
    for (let start = 0; start < batch.length; start += PIECE) {
      await slices.next();
      yield batch.slice(start, start + PIECE).map(present);
    }
}

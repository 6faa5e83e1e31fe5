import type { Fields } from "../../wire/search/fields.ts";
import { parseQuery, QueryError, type Query } from "../../wire/search/query.ts";
import { Refusal } from "../errors.ts";
import type { Reply } from "../http/respond.ts";
import { list, type ListRouteCall, type ListOptions } from "../http/routes/list.ts";
import type { Position } from "../store/store.ts";
import type { ControlDeps } from "./deps.ts";

interface Search {
  readonly query?: string | undefined;
  readonly name?: string | undefined;
}

/** What a file store may have. */
const MAX_COUNT = 50_000;

/** How many records a list has, or a search finds. @throws {Refusal} as the list */
export async function recordCount(
  search: Search,
  fields: Fields,
  { find }: Pick<ListOptions<unknown, unknown>, "find">,
): Promise<{ count: number; is_complete: boolean }> {
  let count = 0;
  for await (const batch of find({ query: queryOf(search, fields), limit: MAX_COUNT + 1 })) count += batch.length;
  return { count: Math.min(count, MAX_COUNT), is_complete: count <= MAX_COUNT };
}

/** @throws {Refusal} `invalid_query` */
export function queryOf({ query = "", name = "" }: Search, fields: Fields): Query | undefined {
  const words = name.split(/\s+/).filter((word) => word !== "");
  // Each word by itself: of one clause, either word would be enough.
  const searches = [query.trim(), ...words.map((word) => `name:*${word}*`)];
  try {
    const clauses = searches.flatMap((search) => parseQuery(search, fields));
    return clauses.length === 0 ? undefined : clauses;
  } catch (error) {
    if (error instanceof QueryError) throw new Refusal("invalid_query", error.message);
    throw error;
  }
}

interface MemoryList<Row, Shown> extends Pick<ListOptions<Row, Shown>, "name" | "present"> {
  readonly all: readonly Row[];
  /** Those that match the filters. Default: all. */
  readonly matching?: readonly Row[];
  /** Whether rows disappear only from its end, the oldest first. */
  readonly isRing?: true;
}

/** Answers as a list of the store does. A row's place is the number of rows behind it, which is known after it was deleted. */
export function listInMemory<Row extends { readonly id: string }, Shown>(
  call: ListRouteCall,
  deps: Pick<ControlDeps, "addresses" | "cursors">,
  { name, all, matching = all, isRing, present }: MemoryList<Row, Shown>,
): Promise<Shown[] | Reply> {
  return list(call, deps, {
    name,
    present,
    async *find({ after, limit }) {
      const rest = after && rowsBehind(after);
      yield (rest ? matching.filter((row) => rest.has(row)) : matching).slice(0, limit);
    },
    findById: async (id) => all.find((row) => row.id === id),
    positionOf: (row) => ({ time: String(isRing ? 0 : all.length - 1 - all.indexOf(row)), id: row.id }),
  });

  function rowsBehind({ time: left, id }: Position): ReadonlySet<Row> {
    const index = all.findIndex((row) => row.id === id);
    return new Set(all.slice(index < 0 ? Math.max(0, all.length - Number(left)) : index + 1));
  }
}

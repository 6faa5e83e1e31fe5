import type { Fields } from "../../wire/search/fields.ts";
import { parseQuery, QueryError, type Query } from "../../wire/search/query.ts";
import { ApiError } from "../errors.ts";
import { linkToNext, unknownAfter, type ListCall, type ListOptions } from "../http/routes/list.ts";
import type { ControlDeps } from "./deps.ts";

type ListDeps = Pick<ControlDeps, "addresses" | "cursors">;

interface Search {
  readonly query?: string | undefined;
  readonly name?: string | undefined;
}

const MAX_COUNT = 10_000;

/** How many records a list has, or a search finds. @throws {ApiError} as the list */
export async function recordCount(
  search: Search,
  fields: Fields,
  { find }: Pick<ListOptions<unknown, unknown>, "find">,
): Promise<{ count: number; is_complete: boolean }> {
  let count = 0;
  for await (const batch of find({ query: queryOf(search, fields), limit: MAX_COUNT + 1 })) count += batch.length;
  return { count: Math.min(count, MAX_COUNT), is_complete: count <= MAX_COUNT };
}

/** @throws {ApiError} `invalid_query` */
export function queryOf({ query = "", name = "" }: Search, fields: Fields): Query | undefined {
  const words = name.split(/\s+/).filter((word) => word !== "");
  // Each word by itself: of one clause, either word would be enough.
  const searches = [query.trim(), ...words.map((word) => `name:*${word}*`)];
  try {
    const clauses = searches.flatMap((search) => parseQuery(search, fields));
    return clauses.length === 0 ? undefined : clauses;
  } catch (error) {
    if (error instanceof QueryError) throw new ApiError("invalid_query", error.message);
    throw error;
  }
}

/** A list in memory, newest first. */
interface MemoryList<Row, Shown> {
  /** Tells it from all other lists. */
  readonly name: string;
  readonly all: readonly Row[];
  /** Those that match the filters. Default: all. */
  readonly matching?: readonly Row[];
  /** Whether rows disappear only from its end, the oldest first. */
  readonly isRing?: true;
  readonly present: (row: Row) => Shown;
}

/** All rows of a list that match, or a page of them and a link to the next (RFC 8288). */
export function pageOf<Row extends { readonly id: string }, Shown>(
  call: ListCall,
  deps: ListDeps,
  { name, all, matching = all, isRing, present }: MemoryList<Row, Shown>,
): Shown[] {
  const { limit, after } = call.query;
  const behind = after === undefined ? undefined : new Set(rowsBehind(after));
  const rest = behind ? matching.filter((row) => behind.has(row)) : matching;
  const rows = rest.slice(0, limit);
  const last = rows.at(-1);
  if (last && rows.length < rest.length) {
    // With the number of rows behind it, its place is known after it was deleted.
    const left = isRing ? 0 : all.length - 1 - all.indexOf(last);
    linkToNext(call, deps, name, [String(left), last.id]);
  }
  return rows.map(present);

  function rowsBehind(text: string): readonly Row[] {
    const [count, id] = deps.cursors.read(name, text) ?? [undefined, text];
    const index = all.findIndex((row) => row.id === id);
    if (index >= 0) return all.slice(index + 1);
    if (count === undefined) throw unknownAfter();
    return all.slice(Math.max(0, all.length - Number(count)));
  }
}

import type { Fields } from "../../wire/fields.ts";
import { json } from "../http/reply.ts";
import type { AppRequest } from "../http/request.ts";
import { linkToNext, list, searchQuery, unknownAfter, type ListOptions } from "../http/routes/list.ts";
import type { ControlDeps } from "./deps.ts";
import { RawReply } from "./handler.ts";

type ListDeps = Pick<ControlDeps, "addresses" | "positions">;

interface Asked {
  readonly query: { readonly limit?: number | undefined; readonly after?: string | undefined };
  readonly request: AppRequest;
}

/** A list or a search of records, as in the product API. @throws {ApiError} as there */
export async function recordList<Row>(
  request: AppRequest,
  deps: ListDeps,
  search: string | undefined,
  fields: Fields,
  options: ListOptions<Row>,
): Promise<RawReply> {
  const query = search === undefined || search.trim() === "" ? undefined : searchQuery(request, fields);
  return new RawReply(await list(request, deps, options, query));
}

/** A list in memory, newest first. */
interface MemoryList<Row> {
  /** Tells it from all other lists. */
  readonly name: string;
  readonly all: readonly Row[];
  /** Those that match the filters. Default: all. */
  readonly matching?: readonly Row[];
  /** Whether rows disappear only from its end, the oldest first. */
  readonly isRing?: true;
  readonly present: (row: Row) => object;
}

/** All rows of a list that match, or a page of them and a link to the next (RFC 8288). */
export function pageOf<Row extends { readonly id: string }>(
  { query: { limit, after }, request }: Asked,
  deps: ListDeps,
  { name, all, matching = all, isRing, present }: MemoryList<Row>,
): RawReply {
  const behind = after === undefined ? undefined : new Set(rowsBehind(after));
  const rest = behind ? matching.filter((row) => behind.has(row)) : matching;
  const rows = rest.slice(0, limit);
  const last = rows.at(-1);
  if (!last || rows.length === rest.length) return new RawReply(json(rows.map(present)));
  // With the number of rows behind it, its place is known after it was deleted.
  const left = isRing ? 0 : all.length - 1 - all.indexOf(last);
  return new RawReply(json(rows.map(present), 200, linkToNext(request, deps, name, [String(left), last.id])));

  function rowsBehind(text: string): readonly Row[] {
    const [count, id] = deps.positions.read(name, text) ?? [undefined, text];
    const index = all.findIndex((row) => row.id === id);
    if (index >= 0) return all.slice(index + 1);
    if (count === undefined) throw unknownAfter();
    return all.slice(Math.max(0, all.length - Number(count)));
  }
}

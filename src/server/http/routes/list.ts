import type { Fields } from "../../../wire/fields.ts";
import { MAX_PAGE_SIZE } from "../../../wire/names.ts";
import { parseQuery, QueryError, type Query } from "../../../wire/query.ts";
import { ApiError } from "../../errors.ts";
import { itemsText, json, jsonArray, jsonStream, type Reply } from "../reply.ts";
import type { Place } from "../positions.ts";
import type { AppRequest } from "../request.ts";
import type { PageOptions, Position } from "../../store/store.ts";
import { lowerCaseId } from "./access.ts";
import type { RouteDeps } from "./route.ts";

type ListDeps = Pick<RouteDeps, "addresses" | "positions">;

/** A list of records: how it is read and presented. */
export interface ListOptions<Row> {
  /** Tells it from all other lists. */
  readonly name: string;
  readonly find: (options: PageOptions) => AsyncIterable<Row[]>;
  /** The row that `after` may name by its id. */
  readonly findById: (id: string) => Promise<Row | undefined>;
  readonly positionOf: (row: Row) => Position;
  readonly present: (row: Row) => object;
}

/** All rows, unsearched. @throws {ApiError} also for a `query`, which would be taken for a search */
export function listAll<Row>(request: AppRequest, deps: ListDeps, options: ListOptions<Row>): Promise<Reply> {
  if (request.query.has("query"))
    throw new ApiError("bad_request", `this list takes no query; search with ${request.path}/search`);
  return list(request, deps, options);
}

/** All rows; with `limit` in the request, a page of them and a link to the next (RFC 8288). */
export async function list<Row>(
  request: AppRequest,
  deps: ListDeps,
  options: ListOptions<Row>,
  query?: Query,
): Promise<Reply> {
  const limit = limitOf(request);
  const after = await startOf(request, deps, options);
  // One more row shows whether there is a next page.
  const rows = options.find({ query, after, limit: limit === undefined ? undefined : limit + 1 });
  if (limit === undefined) return all(rows, options.present);

  const parts: string[] = [];
  let left = limit;
  let last: Row | undefined;
  let isMore = false;
  for await (const batch of rows) {
    const taken = batch.slice(0, left);
    isMore ||= batch.length > left;
    left -= taken.length;
    last = taken.at(-1) ?? last;
    if (taken.length > 0) parts.push(itemsText(taken.map(options.present)));
  }
  if (!isMore || !last) return jsonArray(parts);
  const { time, id } = options.positionOf(last);
  return jsonArray(parts, linkToNext(request, deps, options.name, [time, id]));
}

/** Where the page begins: behind a position of a `Link` header, or behind the record that has this id. */
async function startOf<Row>(
  { query }: AppRequest,
  { positions }: ListDeps,
  { name, findById, positionOf }: ListOptions<Row>,
): Promise<Position | undefined> {
  const after = query.get("after");
  if (after === undefined) return undefined;
  const place = positions.read(name, after);
  if (place) return { time: place[0], id: place[1] };
  const row = await findById(lowerCaseId(after));
  if (!row) throw unknownAfter();
  return positionOf(row);
}

/** The parsed `query` of a search. @throws {ApiError} that says what to write instead */
export function searchQuery(request: AppRequest, fields: Fields): Query {
  const text = request.query.get("query")?.trim();
  if (!text) throw new ApiError("query_required");
  try {
    return parseQuery(text, fields);
  } catch (error) {
    if (error instanceof QueryError) throw new ApiError("invalid_query", error.message);
    throw error;
  }
}

/** A list of one batch is sent in one piece. Others are streamed, and read only as fast as the client takes them. */
async function all<Row>(batches: AsyncIterable<Row[]>, present: (row: Row) => object): Promise<Reply> {
  const iterator = batches[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done) return json([]);
  const second = await iterator.next();
  if (second.done) return json(first.value.map(present));
  return jsonStream(
    (async function* () {
      try {
        yield first.value.map(present);
        yield second.value.map(present);
        for await (const batch of { [Symbol.asyncIterator]: () => iterator }) yield batch.map(present);
      } finally {
        // A client may disconnect before it has read the first two.
        await iterator.return?.();
      }
    })(),
  );
}

function limitOf(request: AppRequest): number | undefined {
  const text = request.query.get("limit");
  if (text === undefined) return undefined;
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > MAX_PAGE_SIZE)
    throw new ApiError("bad_request", `limit must be a number from 1 to ${MAX_PAGE_SIZE}`);
  return limit;
}

/** The error for an `after` that is neither an id nor a position. */
export function unknownAfter(): ApiError {
  return new ApiError(
    "bad_request",
    "after is neither the id of a record nor a position in this list; follow the Link header of the previous page, or omit after to begin with the first page",
  );
}

/** The `Link` header of a page that is not the last one. @param place of the page's last record in the list */
export function linkToNext(
  request: AppRequest,
  { addresses, positions }: ListDeps,
  of: string,
  place: Place,
): { link: string } {
  const base =
    request.scope.kind === "instance" && request.instance ? addresses.instanceUrl(request.instance) : addresses.front;
  const url = new URL(request.path, base);
  for (const [name, value] of request.query) url.searchParams.set(name, value);
  url.searchParams.set("after", positions.write(of, place));
  return { link: `<${url.href}>; rel="next"` };
}

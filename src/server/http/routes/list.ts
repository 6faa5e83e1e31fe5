import { createHmac, timingSafeEqual } from "node:crypto";
import type { Query } from "../../../wire/search/query.ts";
import { Refusal } from "../../errors.ts";
import type { Addresses } from "../../instances/addresses.ts";
import type { PageOptions, Position } from "../../store/store.ts";
import type { RouteCall } from "../dispatch.ts";
import { json, stream, type Reply } from "../respond.ts";

interface ListDeps {
  readonly addresses: Addresses;
  readonly cursors: Cursors;
}

/** A request for a list: all of it, or at most `limit` rows behind the one that `after` names. */
export interface ListRouteCall extends Pick<RouteCall, "event" | "request"> {
  readonly query: { readonly limit?: number | undefined; readonly after?: string | undefined };
}

export interface ListOptions<Row, Shown> {
  readonly name: string;
  readonly find: (options: PageOptions) => AsyncIterable<Row[]>;
  /** The row that `after` may name by its id. */
  readonly findById: (id: string) => Promise<Row | undefined>;
  readonly positionOf: (row: Row) => Position;
  readonly present: (row: Row) => Shown;
}

/** All rows; with `limit` in the request, a page of them and a link to the next (RFC 8288). */
export async function list<Row, Shown>(
  call: ListRouteCall,
  deps: ListDeps,
  options: ListOptions<Row, Shown>,
  query?: Query,
): Promise<Shown[] | Reply> {
  const { limit } = call.query;
  const after = await startOf(call, deps, options);
  if (limit === undefined) return all(call, options.find({ query, after }), options.present);

  const rows: Row[] = [];
  // One more row shows whether there is a next page.
  for await (const batch of options.find({ query, after, limit: limit + 1 })) rows.push(...batch);
  const shown = rows.slice(0, limit).map(options.present);
  if (rows.length <= limit) return shown;
  const last = options.positionOf(rows[limit - 1]!);
  return json(shown, { headers: { link: linkToNext(call, deps, options.name, last) } });
}

/** Where the page begins: behind a position of a `Link` header, or behind the record that has this id. */
async function startOf<Row>(
  { query: { after } }: ListRouteCall,
  { cursors }: ListDeps,
  { name, findById, positionOf }: ListOptions<Row, unknown>,
): Promise<Position | undefined> {
  if (after === undefined) return undefined;
  const position = cursors.read(name, after);
  if (position) return position;
  const row = await findById(after);
  if (!row)
    throw new Refusal(
      "bad_request",
      "after is neither the id of a record nor a position in this list; follow the Link header of the previous page, or omit after to begin with the first page",
    );
  return positionOf(row);
}

/** A list of one batch is sent in one piece. Others are streamed, and read only as fast as the client takes them. */
async function all<Row, Shown>(
  { event }: ListRouteCall,
  batches: AsyncIterable<Row[]>,
  present: (row: Row) => Shown,
): Promise<Shown[] | Reply> {
  const iterator = batches[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done) return [];
  const second = await iterator.next();
  if (second.done) return first.value.map(present);
  async function* rest(): AsyncGenerator<Row[]> {
    try {
      yield first.value;
      yield second.value;
      yield* { [Symbol.asyncIterator]: () => iterator };
    } finally {
      // A client may disconnect before it has read the first two.
      await iterator.return?.().catch(() => undefined);
    }
  }
  return stream(event, "application/json", arrayText(rest(), present));
}

async function* arrayText<Row>(batches: AsyncIterable<Row[]>, present: (row: Row) => unknown): AsyncGenerator<string> {
  let opening = "[";
  for await (const batch of batches) {
    if (batch.length === 0) continue;
    yield opening + JSON.stringify(batch.map(present)).slice(1, -1);
    opening = ",";
  }
  yield opening === "[" ? "[]" : "]";
}

/** The `Link` header of a page that is not the last one. @param last the page's last record in the list */
function linkToNext(
  { event, request: { scope, instance, query } }: Pick<ListRouteCall, "event" | "request">,
  { addresses, cursors }: ListDeps,
  of: string,
  last: Position,
): string {
  const base = scope.kind === "instance" && instance ? addresses.instanceUrl(instance) : addresses.front;
  const url = new URL(event.url.pathname, base);
  for (const [name, value] of query) url.searchParams.set(name, value);
  url.searchParams.set("after", cursors.write(of, last));
  return `<${url.href}>; rel="next"`;
}

const MAC_BYTES = 8;

export type Cursors = ReturnType<typeof createCursors>;

/**
 * Positions in lists, as a `Link` header carries them. They stay valid when the row moves or is deleted. Each can be read for the
 * list alone that it was written for.
 * @param secret the same for every process on the store
 */
export function createCursors(secret: Buffer) {
  const sealed = (of: string, content: string): string => {
    const mac = createHmac("sha256", secret).update(`position\n${of}\n${content}`).digest().subarray(0, MAC_BYTES);
    return Buffer.concat([mac, Buffer.from(content)]).toString("base64url");
  };
  return {
    write: (of: string, { time, id }: Position): string => sealed(of, `${time} ${id}`),
    /** Undefined if this is not a position in that list. */
    read(of: string, text: string): Position | undefined {
      const content = Buffer.from(text, "base64url").subarray(MAC_BYTES).toString();
      const given = Buffer.from(text);
      const expected = Buffer.from(sealed(of, content));
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
      const [, time = "", id = ""] = /^(\S+) (.*)$/s.exec(content) ?? [];
      return { time, id };
    },
  };
}

/** An id as it is stored: UUIDs are read in either case (RFC 9562, 4). */
export function lowerCaseId(id: string): string {
  return id.toLowerCase();
}

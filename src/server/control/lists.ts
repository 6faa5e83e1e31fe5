import type { Fields } from "../../wire/fields.ts";
import { json } from "../http/reply.ts";
import type { AppRequest } from "../http/request.ts";
import { linkToNext, list, searchQuery, unknownAfter, type ListOptions } from "../http/routes/list.ts";
import type { Addresses } from "../instances/addresses.ts";
import { Ready } from "./handler.ts";

interface Asked {
  readonly query: { readonly limit?: number | undefined; readonly after?: string | undefined };
  readonly request: AppRequest;
}

/** A list or a search of records, as in the product API. @throws {ApiError} as there */
export async function recordList<Row>(
  request: AppRequest,
  search: string | undefined,
  fields: Fields,
  options: ListOptions<Row>,
): Promise<Ready> {
  const query = search === undefined || search.trim() === "" ? undefined : searchQuery(request, fields);
  return new Ready(await list(request, options, query));
}

/** A list in memory, newest first: all of it, or a page and a link to the next (RFC 8288). */
export function pageOf(
  records: readonly { readonly id: string }[],
  { query: { limit, after }, request }: Asked,
  { addresses }: { readonly addresses: Addresses },
): Ready {
  const start = after === undefined ? 0 : records.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && start === 0) throw unknownAfter();
  const rows = records.slice(start, limit === undefined ? undefined : start + limit);
  const last = rows.at(-1);
  const isLast = limit === undefined || start + limit >= records.length || !last;
  return new Ready(json(rows, 200, isLast ? undefined : linkToNext(request, addresses, last.id)));
}

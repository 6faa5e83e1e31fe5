import type { Fields } from "../../wire/fields.ts";
import { ApiError } from "../errors.ts";
import { json } from "../http/reply.ts";
import type { AppRequest } from "../http/request.ts";
import { list, searchQuery, type ListOptions } from "../http/routes/list.ts";
import type { Addresses } from "../instances/addresses.ts";
import { Ready } from "./handler.ts";

interface Asked {
  readonly query: { readonly limit?: number | undefined; readonly after?: string | undefined };
  readonly request: AppRequest;
}

/** A list or a search of records, just as the product API has it. @throws {ApiError} as that one */
export async function recordList<Row>(
  request: AppRequest,
  search: string | undefined,
  fields: Fields,
  options: ListOptions<Row>,
): Promise<Ready> {
  const query = search === undefined || search.trim() === "" ? undefined : searchQuery(request, fields);
  return new Ready(await list(request, options, query));
}

/** A list that is short enough to be at hand, newest first: all of it, or a page and a link to the next (RFC 8288). */
export function pageOf(
  records: readonly { readonly id: string }[],
  { query: { limit, after }, request }: Asked,
  { addresses }: { readonly addresses: Addresses },
): Ready {
  const start = after === undefined ? 0 : records.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && start === 0)
    throw new ApiError("bad_request", "after: unknown id; take that of the last record of the page before");
  const rows = records.slice(start, limit === undefined ? undefined : start + limit);
  const last = rows.at(-1);
  const isLast = limit === undefined || start + limit >= records.length || !last;
  return new Ready(
    json(rows, 200, isLast ? undefined : { link: `<${nextUrl(request, last.id, addresses)}>; rel="next"` }),
  );
}

function nextUrl(request: AppRequest, after: string, addresses: Addresses): string {
  const url = new URL(request.path, addresses.front);
  for (const [name, value] of request.query) url.searchParams.set(name, value);
  url.searchParams.set("after", after);
  return url.href;
}

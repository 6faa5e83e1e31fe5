import type { Fields } from "../../wire/fields.ts";
import { Ready } from "./handler.ts";
import type { AppRequest } from "../http/request.ts";
import { list, searchQuery, type ListOptions } from "../http/routes/list.ts";

/** A list or a search, just as the product API has it. @throws {ApiError} as that one */
export async function recordList<Row>(
  request: AppRequest,
  search: string | undefined,
  fields: Fields,
  options: ListOptions<Row>,
): Promise<Ready> {
  const query = search === undefined || search.trim() === "" ? undefined : searchQuery(request, fields);
  return new Ready(await list(request, options, query));
}

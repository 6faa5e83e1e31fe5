import { ApiError } from "../errors.ts";
import { filterRequests, waitFor } from "./filters.ts";
import type { HandlersOf } from "./handler.ts";
import { pageOf } from "./lists.ts";
import { requestResource } from "./resources.ts";

export const requestRoutes: HandlersOf<"/requests"> = {
  "GET /requests": async ({ query, request }, deps) => {
    const { requests, process, addresses } = deps;
    const matching = (): ReturnType<typeof requestResource>[] =>
      filterRequests(requests.all, query, deps).map((entry) => requestResource(entry, process));
    const found = await waitFor(query.wait, matching, (changed) => requests.subscribe(changed), deps.closing);
    return pageOf(found, query, request, addresses);
  },

  "GET /requests/:id": ({ param }, { requests, process }) => {
    const entry = requests.get(param("id"));
    if (!entry) throw new ApiError("not_found", "no request has this id, or it is not kept any more");
    return requestResource(entry, process);
  },
};

import { filterRequests, waitFor } from "./filters.ts";
import { requireFound } from "./find.ts";
import type { HandlersOf } from "./handler.ts";
import { pageOf } from "./lists.ts";
import { requestResource } from "./resources.ts";

export const requestRoutes: HandlersOf<"/requests"> = {
  "GET /requests": async (call, deps) => {
    const { query } = call;
    const { requests, process } = deps;
    const matching = (): ReturnType<typeof requestResource>[] =>
      filterRequests(requests.all, query, deps).map((entry) => requestResource(entry, process));
    const rows = await waitFor(query.wait, matching, (changed) => requests.subscribe(changed), deps.closing);
    return pageOf(rows, call, deps);
  },

  "GET /requests/:id": ({ param }, { requests, process }) => {
    const entry = requireFound(requests.get(param("id")), "not_found", "unknown id, or the request is no longer kept");
    return requestResource(entry, process);
  },
};

import type { LoggedRequest } from "../../history/request-log.ts";
import { filterRequests, waitFor } from "../filters.ts";
import { requireFound } from "../records.ts";
import type { HandlersOf } from "../deps.ts";
import { pageOf } from "../lists.ts";
import { requestResource } from "../resources.ts";

export const requestRoutes: HandlersOf<"/requests"> = {
  "GET /requests": async (call, deps) => {
    const { query } = call;
    const { requests, process } = deps;
    const find = (): LoggedRequest[] => filterRequests(requests.all, query, deps);
    const matching = await waitFor(query.wait, find, (changed) => requests.subscribe(changed), deps.closing);
    const present = (entry: LoggedRequest) => requestResource(entry, process);
    return pageOf(call, deps, { name: `requests ${process}`, all: requests.all, matching, isRing: true, present });
  },

  "GET /requests/:id": ({ params }, { requests, process }) => {
    const entry = requireFound(requests.get(params.id), "not_found", "unknown id, or the request is no longer kept");
    return requestResource(entry, process);
  },
};

import { ApiError } from "../../errors.ts";
import type { Flow } from "../../history/flows.ts";
import type { ControlDeps, HandlersOf } from "../deps.ts";
import { parseMoment } from "../duration.ts";
import { filterFlows, waitFor } from "../filters.ts";
import { requireFound } from "../records.ts";
import { summaryOf } from "../flow-summary.ts";
import { json } from "../../http/respond.ts";
import { toHar } from "../har.ts";
import { pageOf } from "../lists.ts";
import { flowResource } from "../resources.ts";
import { runSignIn } from "./sign-ins.ts";

export const flowRoutes: HandlersOf<"/flows"> = {
  "GET /flows": async (call, deps) => {
    const { query } = call;
    const { flows, process } = deps;
    const matching = await waitFor(
      query.wait,
      () => filterFlows(flows.all, query, deps),
      (changed) => flows.subscribe(changed),
      deps.closing,
    );
    if (query.format === "har") return json(call.event, toHar(matching.slice(0, query.limit), deps));
    const present = (flow: Flow) => flowResource(flow, process);
    return pageOf(call, deps, { name: `flows ${process}`, all: flows.all, matching, isRing: true, present });
  },

  "GET /flows/summary": ({ query }, deps) => {
    const { periods, ...filter } = query;
    const flows = filterFlows(deps.flows.all, filter, deps);
    if (periods === undefined) return summaryOf(flows);
    if (query.since === undefined) throw new ApiError("bad_request", "periods: say since when with since");
    const now = deps.now();
    const [from, to] = [query.since, query.until ?? "0s"].map((moment) => Date.parse(parseMoment(moment, now)));
    return summaryOf(flows, { from: from!, to: Math.max(from! + periods, to!), periods });
  },

  "GET /flows/:id": ({ params, query }, deps) => {
    const flow = requireFlow(deps, params.id);
    return query.format === "har" ? toHar([flow], deps) : flowResource(flow, deps.process);
  },

  "POST /flows/:id/replay": ({ params, body, request }, deps) => {
    const { instance, provider, as, requested_outcome, redirect_uri, changes } = requireFlow(deps, params.id);
    const wanted = body.provider ?? provider;
    if (!wanted) throw new ApiError("bad_request", "provider: the flow has none; name one");
    const wish = {
      instance: instance ?? undefined,
      provider: wanted,
      as: body.as ?? as ?? undefined,
      redirect_uri: redirect_uri ?? undefined,
      outcome: body.outcome ?? requested_outcome ?? "success",
      browser: undefined,
      ...changes,
    };
    return runSignIn(deps, wish, request);
  },
};

function requireFlow({ flows }: ControlDeps, id: string): Flow {
  return requireFound(flows.get(id), "not_found", "unknown id, or the sign-in is no longer kept");
}

import { ApiError } from "../../errors.ts";
import type { Flow } from "../../flows/flows.ts";
import type { ControlDeps } from "../deps.ts";
import { filterFlows, waitFor } from "../filters.ts";
import { requireFound } from "../find.ts";
import type { HandlersOf } from "../handler.ts";
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
    const flows = filterFlows(deps.flows.all, query, deps);
    return {
      total: flows.length,
      results: { token: 0, error: 0, open: 0, ...count(flows, ({ result }) => result) },
      errors: count(flows, ({ error }) => error),
      providers: count(flows, ({ provider }) => provider),
      outcomes: count(flows, ({ requested_outcome }) => requested_outcome),
    };
  },

  "GET /flows/:id": ({ params, query }, deps) => {
    const flow = requireFlow(deps, params.id);
    return query.format === "har" ? toHar([flow], deps) : flowResource(flow, deps.process);
  },

  "POST /flows/:id/replay": ({ params, body, request }, deps) => {
    const { instance, provider, as, requested_outcome, redirect_uri } = requireFlow(deps, params.id);
    const wanted = body.provider ?? provider;
    if (!wanted) throw new ApiError("bad_request", "provider: the flow has none; name one");
    const wish = {
      instance: instance ?? undefined,
      provider: wanted,
      as: body.as ?? as ?? undefined,
      redirect_uri: redirect_uri ?? undefined,
      outcome: body.outcome ?? requested_outcome ?? "success",
    };
    return runSignIn(deps, wish, request);
  },
};

function requireFlow({ flows }: ControlDeps, id: string): Flow {
  return requireFound(flows.get(id), "not_found", "unknown id, or the sign-in is no longer kept");
}

function count(flows: readonly Flow[], valueOf: (flow: Flow) => string | null): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const flow of flows) {
    const value = valueOf(flow);
    if (value !== null) counts[value] = (counts[value] ?? 0) + 1;
  }
  return counts;
}

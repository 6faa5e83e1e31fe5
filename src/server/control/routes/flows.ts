import { Refusal } from "../../errors.ts";
import type { Flow } from "../../history/flows.ts";
import type { ControlDeps, ControlHandlers } from "../deps.ts";
import { parseMoment } from "../check.ts";
import { filterFlows, peopleOf, waitForMatch } from "../filters.ts";
import { requireFound } from "../look-up.ts";
import { listInMemory } from "../lists.ts";
import { flowResource } from "../resources.ts";
import { answerSignIn } from "./sign-ins.ts";
import { accountOf, resultOf } from "../../../wire/control/flows.ts";
import type { AnswerOf } from "../../../wire/control/types.ts";

export const flowRoutes = (deps: ControlDeps): ControlHandlers<"/flows"> => ({
  "GET /flows": async (call) => {
    const { query } = call;
    const { flows, process } = deps;
    const people = await peopleOf(query.user, deps);
    const find = (): Flow[] => filterFlows(flows.all, query, people, deps);
    const matching = await waitForMatch(query.wait, find, flows, deps.closing);
    const present = (flow: Flow) => flowResource(flow, deps);
    return listInMemory(call, deps, { name: `flows ${process}`, all: flows.all, matching, isRing: true, present });
  },

  "GET /flows/summary": async ({ query }) => {
    const { periods, ...filter } = query;
    const now = deps.now();
    const kept = filterFlows(deps.flows.all, filter, await peopleOf(filter.user, deps), deps);
    const flows = kept.map((flow) => ({ ...flow, result: resultOf(flow, now.getTime()) }));
    if (periods === undefined) return summaryOf(flows);
    if (query.since === undefined) throw new Refusal("bad_request", "periods: say since when with since");
    const [from, to] = [query.since, query.until ?? "0s"].map((moment) => Date.parse(parseMoment(moment, now)));
    return summaryOf(flows, { from: from!, to: Math.max(from! + periods, to!), periods });
  },

  "GET /flows/:id": ({ params }) => flowResource(requireFlow(deps, params.id), deps),

  "POST /flows/:id/replay": ({ params, body }) => {
    const { instance, provider, client_id, as, requested_outcome, redirect_uri, changes } = requireFlow(
      deps,
      params.id,
    );
    if (client_id !== null)
      throw new Refusal(
        "bad_request",
        `the application began it with its own client, ${client_id}, and must begin it again`,
      );
    const wanted = body.provider ?? provider;
    if (!wanted) throw new Refusal("bad_request", "provider: the flow has none; name one");
    const wish = {
      instance: instance ?? undefined,
      provider: wanted,
      as: body.as ?? as ?? undefined,
      redirect_uri: redirect_uri ?? undefined,
      outcome: body.outcome ?? requested_outcome ?? "success",
      browser: undefined,
      ...changes,
    };
    return answerSignIn(deps, wish, "replay");
  },
});

function requireFlow({ flows }: ControlDeps, id: string): Flow {
  return requireFound(flows.get(id), "not_found", "unknown id, or the sign-in is no longer kept");
}

type Summary = AnswerOf<"GET /flows/summary">;
type Failure = Summary["failures"][number];

type Span = Readonly<Record<"from" | "to" | "periods", number>>;

const MAX_PEOPLE = 3;

/**
 * Counts sign-ins, and groups those that failed by their reason.
 * @param flows newest first
 * @param span what to divide into periods of equal length, in milliseconds since 1970
 */
function summaryOf(flows: readonly Flow[], span?: Span): Summary {
  return {
    total: flows.length,
    ...counts(flows),
    errors: count(flows, ({ error }) => error),
    outcomes: count(flows, ({ requested_outcome }) => requested_outcome),
    failures: failuresOf(flows),
    periods: span ? periodsOf(flows, span) : [],
  };
}

function counts(flows: readonly Flow[]): Pick<Summary, "results" | "providers"> {
  return {
    results: {
      token: 0,
      error: 0,
      open: 0,
      abandoned: 0,
      ...count(flows, ({ result }) => result),
      asked_for: flows.filter(({ asked_by }) => asked_by !== null).length,
      canceled: flows.filter(({ error, asked_by }) => error === "access_denied" && asked_by === null).length,
    },
    providers: count(flows, ({ provider }) => provider),
  };
}

/** Most frequent first. What a reason quotes, such as an address, differs from sign-in to sign-in, and is not compared. */
function failuresOf(flows: readonly Flow[]): Failure[] {
  const groups = new Map<string, Failure>();
  for (const flow of flows) {
    const { id, error, provider, reason, asked_by, result, started_at } = flow;
    if (result !== "error") continue;
    const filter = reason?.split('"', 1)[0]!.trim() ?? "";
    const key = `${error} ${filter}`;
    const group = groups.get(key) ?? {
      reason,
      filter,
      error,
      is_asked_for: asked_by !== null,
      count: 0,
      providers: [],
      people: [],
      latest: { id, started_at },
    };
    groups.set(key, group);
    group.count++;
    if (provider && !group.providers.includes(provider)) group.providers.push(provider);
    const as = accountOf(flow);
    if (as && group.people.length < MAX_PEOPLE && !group.people.includes(as)) group.people.push(as);
  }
  return [...groups.values()].toSorted((one, other) => other.count - one.count);
}

function periodsOf(flows: readonly Flow[], { from, to, periods }: Span): Summary["periods"] {
  const width = (to - from) / periods;
  const parts = Array.from({ length: periods }, (): Flow[] => []);
  for (const flow of flows) parts[Math.floor((Date.parse(flow.started_at) - from) / width)]?.push(flow);
  return parts.map((part, n) => ({ from: new Date(from + n * width).toISOString(), ...counts(part) }));
}

function count(flows: readonly Flow[], valueOf: (flow: Flow) => string | null): Record<string, number> {
  const result: Record<string, number> = {};
  for (const flow of flows) {
    const value = valueOf(flow);
    if (value !== null) result[value] = (result[value] ?? 0) + 1;
  }
  return result;
}

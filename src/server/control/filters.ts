import { once } from "node:events";
import type * as z from "zod/mini";
import type { Filtered, RequestsQuery } from "../../wire/control/queries.ts";
import { isWatching } from "../../wire/control/paths.ts";
import { isFlowMatch, isRequestMatch, type FlowFilter, type Person } from "../../wire/control/flows.ts";
import { isUuid } from "../../wire/ids.ts";
import type { Flow, Flows } from "../history/flows.ts";
import type { LoggedRequest } from "../history/request-log.ts";
import { lowerCaseId } from "../http/routes/list.ts";
import type { ControlDeps } from "./deps.ts";
import { parseDuration, parseMoment } from "./check.ts";
import { requireInstance } from "./look-up.ts";

type Filter = z.output<typeof Filtered>;

const MAX_WAIT_MS = 25_000;

/**
 * @param flows newest first
 * @param people from `peopleOf` the query's `user`
 */
export function filterFlows(
  flows: readonly Flow[],
  { newer_than, ...query }: Filter,
  people: readonly Person[],
  deps: Pick<ControlDeps, "instances" | "now">,
): Flow[] {
  const bounds = boundsOf(query, deps);
  const now = deps.now().getTime();
  const filter: FlowFilter = { ...query, ...bounds, people, now, instance: bounds.instance?.id };
  // One that is no longer kept is older than all that are.
  const known = newer_than === undefined ? -1 : flows.findIndex((flow) => flow.id === newer_than);
  return flows.slice(0, known < 0 ? flows.length : known).filter((flow) => isFlowMatch(flow, filter));
}

/** The users of all instances whose id a text is: their failed sign-ins are found by more than the id. */
export async function peopleOf(user: string | undefined, { store }: Pick<ControlDeps, "store">): Promise<Person[]> {
  const id = lowerCaseId(user?.trim() ?? "");
  if (!isUuid(id)) return [];
  const keys = await store.instancesWith("users", id);
  const found = keys.map(async (instance): Promise<Person[]> => {
    const view = await store.findUser(instance, id);
    return view ? [{ id, instance, email: view.user.email, identities: await store.identitiesOf(instance, id) }] : [];
  });
  return (await Promise.all(found)).flat();
}

/** The instance, and times in the one form in which they can be compared. @throws {Refusal} `instance_not_found` */
function boundsOf(
  { instance, since, until }: Pick<Filter, "instance" | "since" | "until">,
  deps: Pick<ControlDeps, "instances" | "now">,
) {
  return {
    instance: instance === undefined ? undefined : requireInstance(deps, instance),
    since: since === undefined ? undefined : parseMoment(since, deps.now()),
    until: until === undefined ? undefined : parseMoment(until, deps.now()),
  };
}

/** @throws {Refusal} `instance_not_found` */
export function filterRequests(
  requests: readonly LoggedRequest[],
  query: z.output<typeof RequestsQuery>,
  deps: Pick<ControlDeps, "instances" | "now">,
): LoggedRequest[] {
  const bounds = boundsOf(query, deps);
  const filter = { ...query, ...bounds, instance: bounds.instance?.subdomain };
  return requests.filter(
    (request) => !(query.control === false && isWatching(request.path)) && isRequestMatch(request, filter),
  );
}

/** What `find` finds now, or if that is nothing, as soon as it finds something or the time is over. */
export async function waitForMatch(
  wait: string | undefined,
  find: () => Flow[],
  { changes }: Flows,
  closing: AbortSignal,
): Promise<Flow[]> {
  let rows = find();
  if (wait === undefined || rows.length > 0) return rows;
  const late = AbortSignal.timeout(Math.min(parseDuration(wait, "wait"), MAX_WAIT_MS));
  const signal = AbortSignal.any([late, closing]);
  while (rows.length === 0 && !signal.aborted) {
    await once(changes, "change", { signal }).catch(() => undefined);
    rows = find();
  }
  return rows;
}

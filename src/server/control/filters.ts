import { clearTimeout, setTimeout } from "node:timers";
import type * as z from "zod/mini";
import type { Filtered, Requests } from "../../wire/control/queries.ts";
import { isWatching } from "../../wire/control/paths.ts";
import type { Flow, Flows } from "../flows/flows.ts";
import type { LoggedRequest } from "../flows/request-log.ts";
import { lowerCaseId } from "../http/routes/access.ts";
import type { Instances } from "../instances/instances.ts";
import { parseDuration } from "./duration.ts";
import { requireInstance } from "./find.ts";

type Filter = z.output<typeof Filtered>;

const MAX_WAIT_MS = 25_000;

/** @param flows newest first */
export function filterFlows(
  flows: readonly Flow[],
  { result, error, outcome, provider, instance, user, since, newer_than }: Filter,
  deps: { instances: Instances },
): Flow[] {
  const id = instance === undefined ? undefined : requireInstance(deps, instance).id;
  const after = since === undefined ? undefined : new Date(since).toISOString();
  const wanted = {
    result,
    error,
    requested_outcome: outcome,
    provider,
    instance: id,
    user_id: user && lowerCaseId(user),
  };
  const names = (Object.keys(wanted) as (keyof typeof wanted)[]).filter((name) => wanted[name] !== undefined);
  // One that is no longer kept is older than all that are.
  const known = newer_than === undefined ? -1 : flows.findIndex((flow) => flow.id === newer_than);
  return flows
    .slice(0, known < 0 ? flows.length : known)
    .filter(
      (flow) => names.every((name) => flow[name] === wanted[name]) && (after === undefined || flow.started_at >= after),
    );
}

/** Filters by what a request lacks are applied to its flow. @throws {ApiError} `instance_not_found` */
export function filterRequests(
  requests: readonly LoggedRequest[],
  filter: z.output<typeof Requests>,
  deps: { instances: Instances; flows: Flows },
): LoggedRequest[] {
  const { instance, since, result, error, outcome, provider, user, method, status, path, control } = filter;
  const ofFlow = { result, error, outcome, provider, user };
  const subdomain = instance === undefined ? undefined : requireInstance(deps, instance).subdomain;
  const after = since === undefined ? undefined : new Date(since).toISOString();
  const asksFlow = Object.values(ofFlow).some((value) => value !== undefined);
  return requests.filter((request) => {
    if (control === false && isWatching(request.path)) return false;
    if (method !== undefined && request.method !== method) return false;
    if (status !== undefined && !String(request.status).startsWith(status.replace("xx", ""))) return false;
    if (path !== undefined && !request.path.includes(path)) return false;
    if (subdomain !== undefined && request.instance !== subdomain) return false;
    if (after !== undefined && request.at < after) return false;
    if (!asksFlow) return true;
    const flow = request.flow_id === null ? undefined : deps.flows.get(request.flow_id);
    return flow !== undefined && filterFlows([flow], ofFlow, deps).length > 0;
  });
}

/** What `find` finds now, or if that is nothing, as soon as it finds something or the time is over. */
export async function waitFor<Row>(
  wait: string | undefined,
  find: () => Row[],
  subscribe: (changed: () => void) => () => void,
  closing: AbortSignal,
): Promise<Row[]> {
  const found = find();
  if (wait === undefined || found.length > 0) return found;
  const ms = Math.min(parseDuration(wait, "wait"), MAX_WAIT_MS);
  return new Promise((resolve) => {
    const settle = (rows: Row[]): void => {
      clearTimeout(timer);
      unsubscribe();
      closing.removeEventListener("abort", end);
      resolve(rows);
    };
    const end = (): void => settle(find());
    const timer = setTimeout(end, ms);
    const unsubscribe = subscribe(() => {
      const rows = find();
      if (rows.length > 0) settle(rows);
    });
    closing.addEventListener("abort", end);
  });
}

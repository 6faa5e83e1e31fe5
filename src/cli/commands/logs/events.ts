import { LRUCache } from "lru-cache";
import type { ServerEvent, ControlClient } from "../../../control-client/index.ts";
import { isFlowMatch, type Person } from "../../../wire/control/flows.ts";
import { CONTROL_BASE, isWatching } from "../../../wire/control/paths.ts";
import { MAX_PAGE_SIZE } from "../../../http/request.ts";

export type RequestEvent = Extract<ServerEvent, { resource: "request" }>;
/** A sign-in, as far as it has come. */
export type FlowEvent = Extract<ServerEvent, { resource: "flow" }>;
export type { ServerEvent } from "../../../control-client/index.ts";

/** What is to be shown. */
export interface Wanted {
  /** The id of the only sign-in. */
  readonly flow: string | undefined;
  /** Whose sign-ins: a name, an e-mail address, a login or an id. */
  readonly user: string | undefined;
  /** The users whose id that is. */
  readonly people: readonly Person[];
  readonly isFailed: boolean;
  /** The earliest start. ISO 8601. */
  readonly since: string | undefined;
  /** Whether what commands and the dashboard ask is shown as well. */
  readonly isAll: boolean;
  readonly instance: { readonly id: string; readonly subdomain: string } | undefined;
  /** How many of the latest requests. */
  readonly limit: number;
}

/** Requests that run a sign-in without a browser: its steps belong beneath them. */
const RUNS_SIGN_IN = new Set([`${CONTROL_BASE}/sign-ins`, `${CONTROL_BASE}/flows/:id/replay`]);

/** The sign-ins that may still continue. */
export const RECENT = { max: 2000 };

/** Which events are to be shown, by the sign-ins among those before. */
export type Selection = ReturnType<typeof createSelection>;

export function createSelection(wanted: Wanted) {
  const flows = new LRUCache<string, FlowEvent>(RECENT);
  /** The sign-in that a request belongs to, as far as it has come. */
  const flowOf = ({ data }: RequestEvent): FlowEvent | undefined => flows.get(data.flow_id ?? "");
  const has = (event: ServerEvent): boolean => {
    if (event.resource === "request") return isWantedRequest(event, flowOf(event), wanted);
    flows.set(event.id, event);
    return isWantedFlow(event, wanted);
  };
  return { wanted, flowOf, has };
}

function isWantedRequest({ data }: RequestEvent, flow: FlowEvent | undefined, wanted: Wanted): boolean {
  const { route, path, status, flow_id, instance, reason } = data;
  const runsSignIn = RUNS_SIGN_IN.has(route ?? "");
  if (wanted.flow !== undefined) return flow_id === wanted.flow;
  const { user, people, since } = wanted;
  if (since !== undefined && data.at < since) return false;
  if (user !== undefined && !(flow && isFlowMatch(flow.data, { user, people }))) return false;
  if (wanted.instance !== undefined && instance !== wanted.instance.subdomain) return false;
  if (!wanted.isAll && !runsSignIn && isWatching(path)) return false;
  return !wanted.isFailed || status >= 400 || reason !== null || (runsSignIn && flow?.data.result === "error");
}

function isWantedFlow({ id, data }: FlowEvent, { flow, user, people, instance, isFailed, since }: Wanted): boolean {
  if (flow !== undefined) return id === flow;
  return isFlowMatch(data, { user, people, instance: instance?.id, since, result: isFailed ? "error" : undefined });
}

/** What the server remembers. */
interface Recent {
  /** The oldest first: the sign-ins, as they are now, and then the latest requests. */
  readonly events: readonly ServerEvent[];
  /** When the oldest sign-in began that it knows, whether it is wanted or not. */
  readonly since: string | undefined;
}

export async function recent(control: ControlClient, { wanted, has }: Selection): Promise<Recent> {
  const { flow: id, limit } = wanted;
  const kept =
    id === undefined
      ? await control.request("GET /flows", { query: { limit: MAX_PAGE_SIZE } })
      : [await control.request("GET /flows/:id", { params: { id } })];
  const flows = kept.filter(has);
  const requests: RequestEvent[] = [];
  for await (const request of control.rows("GET /requests"))
    if (has(request) && requests.push(request) >= limit && id === undefined) break;
  const shown = new Set([id, ...requests.map(({ data }) => data.flow_id)]);
  const events = [...flows.filter((flow) => shown.has(flow.id)).toReversed(), ...requests.toReversed()];
  return { events, since: kept.at(-1)?.data.started_at };
}

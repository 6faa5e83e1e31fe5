import type { ControlClient } from "../../../control-client/index.ts";
import { MAX_PAGE_SIZE } from "../../../wire/http/request.ts";
import { isWantedRequest, type FlowEvent, type RequestEvent, type ServerEvent, type Wanted } from "./wanted.ts";

/** What the server remembers, the oldest first: the sign-ins, as they are now, and then the latest requests. */
export async function recent(control: ControlClient, wanted: Wanted): Promise<ServerEvent[]> {
  if (wanted.flow !== undefined) return ofFlow(control, wanted.flow);
  const flows = (await control.request("GET /flows", { query: { limit: MAX_PAGE_SIZE } })) as FlowEvent[];
  const byId = new Map(flows.map((flow) => [flow.id, flow]));
  const requests = await latest(control, (request) =>
    isWantedRequest(request, byId.get(request.data.flow_id ?? ""), wanted) ? wanted.limit : 0,
  );
  const shown = new Set(requests.map(({ data }) => data.flow_id));
  return [...flows.filter(({ id }) => shown.has(id)).toReversed(), ...requests.toReversed()];
}

async function ofFlow(control: ControlClient, id: string): Promise<ServerEvent[]> {
  const flow = (await control.request("GET /flows/:id", { params: { id } })) as FlowEvent;
  const requests = await latest(control, ({ data }) => (data.flow_id === id ? Infinity : 0));
  return [flow, ...requests.toReversed()];
}

/** @param limitFor how many may be returned with this one among them; 0: it is not wanted */
async function latest(control: ControlClient, limitFor: (request: RequestEvent) => number): Promise<RequestEvent[]> {
  const found: RequestEvent[] = [];
  for await (const request of control.rows("GET /requests")) {
    const limit = limitFor(request);
    if (limit > 0 && found.push(request) >= limit) break;
  }
  return found;
}

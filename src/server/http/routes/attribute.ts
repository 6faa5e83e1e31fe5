import type { Flows } from "../../history/flows.ts";
import type { Instances } from "../../instances/instances.ts";
import type { RequestContext } from "../context.ts";

/** Records in a request's log entry which sign-in it belongs to, and the instance of that, if this process knows it. */
export function attributeToFlow(
  request: RequestContext,
  { flows, instances }: { readonly flows: Flows; readonly instances: Instances },
  flow_id: string,
): void {
  request.flow_id = flow_id;
  request.instance = instances.byId(flows.get(flow_id)?.instance ?? "");
}

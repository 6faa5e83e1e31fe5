import type { Flows } from "../../flows/flows.ts";
import type { Instances } from "../../instances/instances.ts";
import type { AppRequest } from "../request.ts";

/** Sets, for the log, the sign-in that a request belongs to, and its instance, if this process knows it. */
export function belongToSignIn(
  request: AppRequest,
  { flows, instances }: { readonly flows: Flows; readonly instances: Instances },
  flow_id: string,
): void {
  request.flow_id = flow_id;
  request.instance = instances.byId(flows.get(flow_id)?.instance ?? "");
}

import type { H3Event } from "h3";
import { isControlApi } from "../../wire/control/paths.ts";
import { SECRET_KEY_HEADER } from "../../wire/ids.ts";
import type { Instances } from "../instances/instances.ts";
import type { AuditAction, AuditEntry } from "./audit-entry.ts";
import { admitted, headerIn } from "./context.ts";

/** What a request has done. `count` is 1 unless it says otherwise. */
export interface Deed {
  readonly action: AuditAction;
  readonly instance_id?: string;
  readonly id?: string;
  readonly count?: number;
}

/** Notes what a request has done, and who sent it. To be called as soon as it is done: what follows may fail. */
export type Audit = (event: H3Event, deed: Deed) => void;

export function createAudit(instances: Instances, onAudit: (entry: AuditEntry) => void): Audit {
  return (event, { action, instance_id, id = null, count = 1 }) => {
    const { id: request_id, ip_address: address, path } = admitted(event);
    onAudit({
      action,
      instance: instance_id === undefined ? null : (instances.byId(instance_id)?.subdomain ?? instance_id),
      id,
      count,
      request_id,
      address,
      key: isControlApi(path) ? "control" : (headerIn(event, SECRET_KEY_HEADER)?.slice(-4) ?? null),
    });
  };
}

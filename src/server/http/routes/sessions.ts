import { ApiError } from "../../errors.ts";
import { json } from "../reply.ts";
import type { AppRequest } from "../request.ts";
import { toSession } from "../resources.ts";
import type { InstanceRecord, SessionRecord } from "../../store/records.ts";
import { idIn, requireSecretKey } from "./access.ts";
import type { RouteDefinition, RouteDeps } from "./route.ts";
import { list, listAll, searchQuery, type ListOptions } from "./list.ts";
import { SEARCHABLE } from "../../store/fields.ts";

export const listSessions: RouteDefinition = {
  on: ["front", "instance"],
  handle(request, deps) {
    const instance = authorized(request, deps);
    return listAll(request, deps, sessionList(deps, instance, toSession));
  },
};

export const searchSessions: RouteDefinition = {
  on: ["front", "instance"],
  handle(request, deps) {
    const instance = authorized(request, deps);
    return list(request, deps, sessionList(deps, instance, toSession), searchQuery(request, SEARCHABLE.sessions));
  },
};

export const getSession: RouteDefinition = {
  on: ["front", "instance"],
  async handle(request, deps) {
    const instance = authorized(request, deps);
    const session = await deps.store.findSession(instance.id, idIn(request));
    if (!session) throw new ApiError("session_not_found");
    return json(toSession(session));
  },
};

function authorized(request: AppRequest, deps: RouteDeps): InstanceRecord {
  return requireSecretKey(request, deps, "unauthorized");
}

/** An instance's sessions. */
export function sessionList(
  { store }: Pick<RouteDeps, "store">,
  { id: instance_id }: InstanceRecord,
  present: (session: SessionRecord) => object,
): ListOptions<SessionRecord> {
  return {
    name: `sessions ${instance_id}`,
    find: (page) => store.sessions(instance_id, page),
    findById: (session_id) => store.findSession(instance_id, session_id),
    positionOf: ({ last_signin_at, id }) => ({ time: last_signin_at, id }),
    present,
  };
}

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
    return listAll(request, listed(deps, instance));
  },
};

export const searchSessions: RouteDefinition = {
  on: ["front", "instance"],
  handle(request, deps) {
    const instance = authorized(request, deps);
    return list(request, listed(deps, instance), searchQuery(request, SEARCHABLE.sessions));
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

function listed({ store, addresses }: RouteDeps, instance: InstanceRecord): ListOptions<SessionRecord> {
  return {
    find: (page) => store.sessions(instance.id, page),
    present: toSession,
    idOf: (session) => session.session_id,
    addresses,
  };
}

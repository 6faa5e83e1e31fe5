import { ApiError } from "../../errors.ts";
import type { InstanceRecord, SessionRecord } from "../../store/records.ts";
import type { Store } from "../../store/store.ts";
import { toSession } from "../resources.ts";
import type { ApiDeps } from "./deps.ts";
import { list, type ListOptions } from "./list.ts";
import type { ProductHandlers } from "./product-rows.ts";

export function sessionRoutes(deps: ApiDeps): ProductHandlers<"/api/v1/sessions"> {
  const { store } = deps;
  return {
    "GET /api/v1/sessions": (call) => list(call, deps, sessionList(store, call.owner, toSession)),

    "GET /api/v1/sessions/search": (call) =>
      list(call, deps, sessionList(store, call.owner, toSession), call.query.query),

    "GET /api/v1/sessions/:id": async ({ owner, params }) => {
      const session = await store.findSession(owner.id, params.id);
      if (!session) throw new ApiError("session_not_found");
      return toSession(session);
    },
  };
}

/** An instance's sessions. */
export function sessionList<Shown>(
  store: Store,
  { id: instance_id }: InstanceRecord,
  present: (session: SessionRecord) => Shown,
): ListOptions<SessionRecord, Shown> {
  return {
    name: `sessions ${instance_id}`,
    find: (page) => store.sessions(instance_id, page),
    findById: (session_id) => store.findSession(instance_id, session_id),
    positionOf: ({ last_signin_at, id }) => ({ time: last_signin_at, id }),
    present,
  };
}

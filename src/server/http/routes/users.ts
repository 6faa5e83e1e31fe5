import { ApiError } from "../../errors.ts";
import type { InstanceRecord } from "../../store/records.ts";
import type { Store, UserView } from "../../store/store.ts";
import { toUser } from "../resources.ts";
import type { ApiDeps } from "./deps.ts";
import { list, type ListOptions } from "./list.ts";
import type { ProductHandlers } from "./product-rows.ts";

export function userRoutes(deps: ApiDeps): ProductHandlers<"/api/v1/users"> {
  const { store } = deps;
  return {
    "GET /api/v1/users": (call) => list(call, deps, userList(store, call.owner, toUser)),

    "GET /api/v1/users/search": (call) => list(call, deps, userList(store, call.owner, toUser), call.query.query),

    "GET /api/v1/users/:id": async ({ owner, params }) => {
      const found = await store.findUser(owner.id, params.id);
      if (!found) throw new ApiError("user_not_found");
      return toUser(found);
    },

    "DELETE /api/v1/users/:id": async ({ owner, params: { id } }) => {
      if (!(await store.deleteUser(owner.id, id))) throw new ApiError("user_not_found");
      return { deleted: true, id };
    },
  };
}

/** An instance's users. */
export function userList<Shown>(
  store: Store,
  { id: instance_id }: InstanceRecord,
  present: (view: UserView) => Shown,
): ListOptions<UserView, Shown> {
  return {
    name: `users ${instance_id}`,
    find: (page) => store.users(instance_id, page),
    findById: (id) => store.findUser(instance_id, id),
    positionOf: ({ user }) => ({ time: user.created_at, id: user.id }),
    present,
  };
}

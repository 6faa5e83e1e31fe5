import { ApiError } from "../../errors.ts";
import { json } from "../reply.ts";
import { toUser } from "../resources.ts";
import type { InstanceRecord } from "../../store/records.ts";
import type { UserView } from "../../store/store.ts";
import { idIn, requireSecretKey } from "./access.ts";
import type { RouteDefinition, RouteDeps } from "./route.ts";
import { list, listAll, searchQuery, type ListOptions } from "./list.ts";
import { SEARCHABLE } from "../../store/fields.ts";

export const listUsers: RouteDefinition = {
  on: ["front", "instance"],
  handle(request, deps) {
    const instance = requireSecretKey(request, deps, "unauthorized");
    return listAll(request, deps, userList(deps, instance, toUser));
  },
};

export const searchUsers: RouteDefinition = {
  on: ["front", "instance"],
  handle(request, deps) {
    const instance = requireSecretKey(request, deps, "unauthorized");
    return list(request, deps, userList(deps, instance, toUser), searchQuery(request, SEARCHABLE.users));
  },
};

export const getUser: RouteDefinition = {
  on: ["front", "instance"],
  async handle(request, deps) {
    const instance = requireSecretKey(request, deps, "missing_secret_key");
    const found = await deps.store.findUser(instance.id, idIn(request));
    if (!found) throw new ApiError("user_not_found");
    return json(toUser(found));
  },
};

export const deleteUser: RouteDefinition = {
  on: ["front", "instance"],
  async handle(request, deps) {
    const instance = requireSecretKey(request, deps, "missing_secret_key");
    const id = idIn(request);
    if (!(await deps.store.deleteUser(instance.id, id))) throw new ApiError("user_not_found");
    return json({ deleted: true, id });
  },
};

/** An instance's users. */
export function userList(
  { store }: Pick<RouteDeps, "store">,
  { id: instance_id }: InstanceRecord,
  present: (view: UserView) => object,
): ListOptions<UserView> {
  return {
    name: `users ${instance_id}`,
    find: (page) => store.users(instance_id, page),
    findById: (id) => store.findUser(instance_id, id),
    positionOf: ({ user }) => ({ time: user.created_at, id: user.id }),
    present,
  };
}

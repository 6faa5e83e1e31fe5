import { USER_FIELDS } from "../../../wire/search/fields.ts";
import { fold } from "../../../wire/text/fold.ts";
import { ApiError } from "../../errors.ts";
import { crossFaults } from "../../seed/faults.ts";
import { recordsOf } from "../../seed/parse.ts";
import { lowerCaseId, type ListOptions } from "../../http/routes/list.ts";
import { userList } from "../../http/routes/product.ts";
import type { TenantKey } from "../../store/records.ts";
import type { UserView } from "../../store/store.ts";
import type { ControlDeps, HandlersOf } from "../deps.ts";
import { chosenInstance, requireFound, requireKey, patched } from "../records.ts";
import { recordCount, recordList } from "../lists.ts";
import { refuseFaults } from "../check.ts";
import { userResource } from "../resources.ts";

type UserResource = ReturnType<typeof userResource>;

export const userRoutes: HandlersOf<"/users"> = {
  "GET /users": (call, deps) => recordList(call, deps, USER_FIELDS, usersOf(deps, call.query.instance)),

  "GET /users/count": ({ query }, deps) => recordCount(query, USER_FIELDS, usersOf(deps, query.instance)),

  "POST /users": async ({ body }, deps) => {
    const { instance: chosen, name = body.email.split("@")[0]!, ...rest } = body;
    const instance = chosenInstance(deps, chosen);
    const user = { ...rest, name };
    const seed = { instances: [{ ...instance, redirect_uris: [], connections: {}, users: [user] }], personas: [] };
    refuseFaults(crossFaults(seed).map((fault) => fault.replaceAll("instances[0].users[0].", "")));
    const { users, identities, sessions } = recordsOf(seed, deps.now());
    await deps.store.add({ users, identities, sessions });
    return whole(deps, users[0]!);
  },

  "GET /users/:id": async ({ params, query }, deps) =>
    whole(deps, await requireKey(deps, "users", lowerCaseId(params.id), query.instance)),

  "PATCH /users/:id": async ({ params, query, body }, deps) => {
    const key = await requireKey(deps, "users", lowerCaseId(params.id), query.instance);
    const { email_verified_at: verified } = body;
    const given = verified ? new Date(verified).toISOString() : verified;
    const updated_at = deps.now().toISOString();
    const changed = await deps.store.change("users", key, (before) => {
      if (!before) return undefined;
      // Whoever proved the old address has not proved the new one.
      const isOther = body.email !== undefined && fold(body.email) !== fold(before.email);
      const email_verified_at = isOther ? (given ?? null) : given;
      return patched(before, { ...body, email_verified_at, updated_at });
    });
    return whole(deps, requireFound(changed, "user_not_found"));
  },

  "DELETE /users/:id": async ({ params, query }, deps) => {
    const { instance_id, id } = await requireKey(deps, "users", lowerCaseId(params.id), query.instance);
    if (!(await deps.store.deleteUser(instance_id, id))) throw new ApiError("user_not_found");
    return { deleted: true, id };
  },
};

function usersOf(deps: ControlDeps, instance: string | undefined): ListOptions<UserView, UserResource> {
  return userList(deps.store, chosenInstance(deps, instance), (view) => userResource(view));
}

/** A user with its identities. @throws {ApiError} `user_not_found` */
async function whole({ store }: ControlDeps, { instance_id, id }: TenantKey): Promise<UserResource> {
  const view = requireFound(await store.findUser(instance_id, id), "user_not_found");
  return userResource(view, await store.identitiesOf(instance_id, id));
}

import { USER_FIELDS } from "../../../wire/search/fields.ts";
import { fold } from "../../../text/fold.ts";
import { Refusal } from "../../errors.ts";
import { crossFaults } from "../../seed/faults.ts";
import { userRecordsOf } from "../../seed/parse.ts";
import { list } from "../../http/routes/list.ts";
import { userList } from "../../http/routes/product.ts";
import type { TenantKey } from "../../store/records.ts";
import type { ControlDeps, ControlHandlers } from "../deps.ts";
import { chosenInstance, requireFound, requireRecordKey, patched } from "../look-up.ts";
import { queryOf, recordCount } from "../lists.ts";
import { refuseFaults } from "../check.ts";
import { userResource } from "../resources.ts";

export const userRoutes = (deps: ControlDeps): ControlHandlers<"/users"> => ({
  "GET /users": (call) => list(call, deps, usersOf(deps, call.query.instance), queryOf(call.query, USER_FIELDS)),

  "GET /users/count": ({ query }) => recordCount(query, USER_FIELDS, usersOf(deps, query.instance)),

  "POST /users": async ({ event, body }) => {
    const { instance: chosen, ...user } = body;
    const instance = chosenInstance(deps, chosen);
    const faults = crossFaults({ instances: [{ users: [user] }] });
    refuseFaults(faults.map((fault) => fault.replaceAll("instances[0].users[0].", "")));
    const records = userRecordsOf([user], instance, deps.now());
    await deps.store.add(records);
    const { instance_id, id } = records.users[0]!;
    deps.audit(event, { action: "user_created", instance_id, id });
    return whole(deps, { instance_id, id });
  },

  "GET /users/:id": async ({ params, query }) =>
    whole(deps, await requireRecordKey(deps, "users", params.id, query.instance)),

  "PATCH /users/:id": async ({ event, params, query, body }) => {
    const key = await requireRecordKey(deps, "users", params.id, query.instance);
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
    const { instance_id, id } = requireFound(changed, "user_not_found");
    deps.audit(event, { action: "user_changed", instance_id, id });
    return whole(deps, { instance_id, id });
  },

  "DELETE /users/:id": async ({ event, params, query }) => {
    const { instance_id, id } = await requireRecordKey(deps, "users", params.id, query.instance);
    if (!(await deps.store.deleteUser(instance_id, id))) throw new Refusal("user_not_found");
    deps.audit(event, { action: "user_deleted", instance_id, id });
    return { deleted: true, id };
  },
});

function usersOf(deps: ControlDeps, instance: string | undefined) {
  return userList(deps.store, chosenInstance(deps, instance), (view) => userResource(view));
}

/** A user with its identities. @throws {Refusal} `user_not_found` */
async function whole({ store }: ControlDeps, { instance_id, id }: TenantKey) {
  const view = requireFound(await store.findUser(instance_id, id), "user_not_found");
  return userResource(view, await store.identitiesOf(instance_id, id));
}

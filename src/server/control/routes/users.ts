import type { H3Event } from "h3";
import { USER_FIELDS, SESSION_FIELDS } from "../../../wire/search/fields.ts";
import { fold } from "../../../wire/text/fold.ts";
import { Refusal } from "../../errors.ts";
import { crossFaults } from "../../seed/faults.ts";
import { userRecordsOf } from "../../seed/parse.ts";
import { list } from "../../http/routes/list.ts";
import { sessionList, userList } from "../../http/routes/product.ts";
import type { TenantKey } from "../../store/records.ts";
import type { ControlDeps, HandlersOf } from "../deps.ts";
import { chosenInstance, requireFound, requireKey, patched } from "../look-up.ts";
import { queryOf, recordCount } from "../lists.ts";
import { refuseFaults, parseMoment } from "../check.ts";
import { userResource, sessionResource } from "../resources.ts";
import { replaceRecords } from "./state.ts";
import { MIN_RETENTION_MS, PRUNED_AT_ONCE } from "../../../wire/serve.ts";

export const userRoutes = (deps: ControlDeps): HandlersOf<"/users" | "/sessions"> => ({
  "GET /users": (call) => list(call, deps, usersOf(deps, call.query.instance), queryOf(call.query, USER_FIELDS)),

  "GET /users/count": ({ query }) => recordCount(query, USER_FIELDS, usersOf(deps, query.instance)),

  "POST /users": async ({ body }) => {
    const { instance: chosen, ...user } = body;
    const instance = chosenInstance(deps, chosen);
    const faults = crossFaults({ instances: [{ users: [user] }] });
    refuseFaults(faults.map((fault) => fault.replaceAll("instances[0].users[0].", "")));
    const records = userRecordsOf([user], instance, deps.now());
    await deps.store.add(records);
    return whole(deps, records.users[0]!);
  },

  "GET /users/:id": async ({ params, query }) =>
    whole(deps, await requireKey(deps, "users", params.id, query.instance)),

  "PATCH /users/:id": async ({ params, query, body }) => {
    const key = await requireKey(deps, "users", params.id, query.instance);
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

  "DELETE /users/:id": async ({ event, params, query }) => {
    const { instance_id, id } = await requireKey(deps, "users", params.id, query.instance);
    if (!(await deps.store.deleteUser(instance_id, id))) throw new Refusal("user_not_found");
    deps.audit(event, { action: "user_deleted", instance_id, id });
    return { deleted: true, id };
  },

  "GET /sessions": (call) =>
    list(call, deps, sessionsOf(deps, call.query.instance), queryOf(call.query, SESSION_FIELDS)),

  "GET /sessions/count": ({ query }) => recordCount(query, SESSION_FIELDS, sessionsOf(deps, query.instance)),

  "POST /sessions/prune": async ({ event, body }) => {
    const { id } = chosenInstance(deps, body.instance);
    const now = deps.now();
    const before = parseMoment(body.before, now);
    if (Date.parse(before) > now.getTime() - MIN_RETENTION_MS)
      throw new Refusal(
        "bad_request",
        "before: must be an hour ago or more; tokens of later sessions may still be valid",
      );
    const prune = (): Promise<number> => deps.store.pruneSessions(id, before, PRUNED_AT_ONCE);
    const [deleted, snapshot] = body.snapshot ? await replaceRecords(deps, prune) : [await prune(), null];
    deps.audit(event, { action: "sessions_pruned", instance_id: id, count: deleted });
    return { instance: id, before, deleted, more: deleted === PRUNED_AT_ONCE, snapshot };
  },

  "GET /sessions/:session_id": async ({ params, query }) => {
    const key = await requireKey(deps, "sessions", params.session_id, query.instance);
    return sessionResource(requireFound(await deps.store.find("sessions", key), "session_not_found"));
  },

  "POST /sessions/:session_id/revoke": (call) => setRevoked(call, deps, deps.now().toISOString()),

  "POST /sessions/:session_id/restore": (call) => setRevoked(call, deps, null),
});

function usersOf(deps: ControlDeps, instance: string | undefined) {
  return userList(deps.store, chosenInstance(deps, instance), (view) => userResource(view));
}

/** A user with its identities. @throws {Refusal} `user_not_found` */
async function whole({ store }: ControlDeps, { instance_id, id }: TenantKey) {
  const view = requireFound(await store.findUser(instance_id, id), "user_not_found");
  return userResource(view, await store.identitiesOf(instance_id, id));
}

interface Named {
  readonly event: H3Event;
  readonly params: { readonly session_id: string };
  readonly query: { readonly instance?: string | undefined };
}

function sessionsOf(deps: ControlDeps, instance: string | undefined) {
  return sessionList(deps.store, chosenInstance(deps, instance), sessionResource);
}

async function setRevoked({ event, params, query }: Named, deps: ControlDeps, revoked_at: string | null) {
  const key = await requireKey(deps, "sessions", params.session_id, query.instance);
  const changed = await deps.store.change("sessions", key, (before) => {
    if (!before) return undefined;
    // The first revocation counts.
    return { ...before, revoked_at: revoked_at === null ? null : (before.revoked_at ?? revoked_at) };
  });
  const session = requireFound(changed, "session_not_found");
  deps.audit(event, { action: revoked_at === null ? "session_restored" : "session_revoked", ...key });
  return sessionResource(session);
}

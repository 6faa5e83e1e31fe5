import type { H3Event } from "h3";
import { SESSION_FIELDS } from "../../../wire/search/fields.ts";
import { Refusal } from "../../errors.ts";
import { list } from "../../http/routes/list.ts";
import { sessionList } from "../../http/routes/product.ts";
import type { ControlDeps, ControlHandlers } from "../deps.ts";
import { chosenInstance, requireFound, requireRecordKey } from "../look-up.ts";
import { queryOf, recordCount } from "../lists.ts";
import { parseMoment } from "../check.ts";
import { sessionResource } from "../resources.ts";
import { replaceRecords } from "../replace-records.ts";
import { MIN_RETENTION_MS, PRUNED_AT_ONCE } from "../../../wire/serve.ts";

export const sessionRoutes = (deps: ControlDeps): ControlHandlers<"/sessions"> => ({
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
    const key = await requireRecordKey(deps, "sessions", params.session_id, query.instance);
    return sessionResource(requireFound(await deps.store.find("sessions", key), "session_not_found"));
  },

  "POST /sessions/:session_id/revoke": (call) => setRevoked(call, deps, deps.now().toISOString()),

  "POST /sessions/:session_id/restore": (call) => setRevoked(call, deps, null),
});

interface Named {
  readonly event: H3Event;
  readonly params: { readonly session_id: string };
  readonly query: { readonly instance?: string | undefined };
}

function sessionsOf(deps: ControlDeps, instance: string | undefined) {
  return sessionList(deps.store, chosenInstance(deps, instance), sessionResource);
}

async function setRevoked({ event, params, query }: Named, deps: ControlDeps, revoked_at: string | null) {
  const key = await requireRecordKey(deps, "sessions", params.session_id, query.instance);
  const changed = await deps.store.change("sessions", key, (before) => {
    if (!before) return undefined;
    // The first revocation counts.
    return { ...before, revoked_at: revoked_at === null ? null : (before.revoked_at ?? revoked_at) };
  });
  const session = requireFound(changed, "session_not_found");
  deps.audit(event, { action: revoked_at === null ? "session_restored" : "session_revoked", ...key });
  return sessionResource(session);
}

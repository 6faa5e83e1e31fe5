import { SESSION_FIELDS } from "../../../wire/search/fields.ts";
import { MIN_RETENTION_MS, PRUNED_AT_ONCE } from "../../../wire/serve.ts";
import { ApiError } from "../../errors.ts";
import { lowerCaseId, type ListOptions } from "../../http/routes/list.ts";
import { sessionList } from "../../http/routes/product.ts";
import type { SessionRecord } from "../../store/records.ts";
import type { ControlDeps, HandlersOf } from "../deps.ts";
import { parseMoment } from "../duration.ts";
import { chosenInstance, requireFound, requireKey } from "../records.ts";
import { recordCount, recordList } from "../lists.ts";
import { sessionResource } from "../resources.ts";

export const sessionRoutes: HandlersOf<"/sessions"> = {
  "GET /sessions": (call, deps) => recordList(call, deps, SESSION_FIELDS, sessionsOf(deps, call.query.instance)),

  "GET /sessions/count": ({ query }, deps) => recordCount(query, SESSION_FIELDS, sessionsOf(deps, query.instance)),

  "POST /sessions/prune": async ({ body }, deps) => {
    const { id } = chosenInstance(deps, body.instance);
    const now = deps.now();
    const before = parseMoment(body.before, now);
    if (Date.parse(before) > now.getTime() - MIN_RETENTION_MS)
      throw new ApiError(
        "bad_request",
        "before: must be an hour ago or more; tokens of later sessions may still be valid",
      );
    const deleted = await deps.store.pruneSessions(id, before, PRUNED_AT_ONCE);
    return { instance: id, before, deleted, more: deleted === PRUNED_AT_ONCE };
  },

  "GET /sessions/:session_id": async ({ params, query }, deps) => {
    const key = await requireKey(deps, "sessions", lowerCaseId(params.session_id), query.instance);
    return sessionResource(requireFound(await deps.store.find("sessions", key), "session_not_found"));
  },

  "POST /sessions/:session_id/revoke": (call, deps) => setRevoked(call, deps, deps.now().toISOString()),

  "POST /sessions/:session_id/restore": (call, deps) => setRevoked(call, deps, null),
};

interface Named {
  readonly params: { readonly session_id: string };
  readonly query: { readonly instance?: string | undefined };
}

type SessionResource = ReturnType<typeof sessionResource>;

function sessionsOf(deps: ControlDeps, instance: string | undefined): ListOptions<SessionRecord, SessionResource> {
  return sessionList(deps.store, chosenInstance(deps, instance), sessionResource);
}

async function setRevoked(
  { params, query }: Named,
  deps: ControlDeps,
  revoked_at: string | null,
): Promise<SessionResource> {
  const key = await requireKey(deps, "sessions", lowerCaseId(params.session_id), query.instance);
  const changed = await deps.store.change("sessions", key, (before) => {
    if (!before) return undefined;
    // The first revocation counts.
    return { ...before, revoked_at: revoked_at === null ? null : (before.revoked_at ?? revoked_at) };
  });
  return sessionResource(requireFound(changed, "session_not_found"));
}

import { SESSION_FIELDS } from "../../../wire/search/fields.ts";
import { lowerCaseId } from "../../http/routes/access.ts";
import type { ListOptions } from "../../http/routes/list.ts";
import { sessionList } from "../../http/routes/sessions.ts";
import type { SessionRecord } from "../../store/records.ts";
import type { ControlDeps } from "../deps.ts";
import { chosenInstance, requireFound, requireKey } from "../find.ts";
import type { HandlersOf } from "../handler.ts";
import { recordCount, recordList } from "../lists.ts";
import { sessionResource } from "../resources.ts";

export const sessionRoutes: HandlersOf<"/sessions"> = {
  "GET /sessions": (call, deps) => recordList(call, deps, SESSION_FIELDS, sessionsOf(deps, call.query.instance)),

  "GET /sessions/count": ({ query }, deps) => recordCount(query, SESSION_FIELDS, sessionsOf(deps, query.instance)),

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

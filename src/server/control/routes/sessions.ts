import { SESSION_FIELDS } from "../../../wire/fields.ts";
import { lowerCaseId } from "../../http/routes/access.ts";
import { sessionList } from "../../http/routes/sessions.ts";
import type { ControlDeps } from "../deps.ts";
import { chosenInstance, requireFound, requireKey } from "../find.ts";
import type { HandlersOf } from "../handler.ts";
import { recordList } from "../lists.ts";
import { sessionResource } from "../resources.ts";

export const sessionRoutes: HandlersOf<"/sessions"> = {
  "GET /sessions": (call, deps) => {
    const { instance, query } = call.query;
    const list = sessionList(deps.store, chosenInstance(deps, instance), sessionResource);
    return recordList(call, deps, query, SESSION_FIELDS, list);
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

async function setRevoked(
  { params, query }: Named,
  deps: ControlDeps,
  revoked_at: string | null,
): Promise<ReturnType<typeof sessionResource>> {
  const key = await requireKey(deps, "sessions", lowerCaseId(params.session_id), query.instance);
  const changed = await deps.store.change("sessions", key, (before) => {
    if (!before) return undefined;
    // The first revocation counts.
    return { ...before, revoked_at: revoked_at === null ? null : (before.revoked_at ?? revoked_at) };
  });
  return sessionResource(requireFound(changed, "session_not_found"));
}

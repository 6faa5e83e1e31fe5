import { SESSION_FIELDS } from "../../../wire/fields.ts";
import { lowerCaseId } from "../../http/routes/access.ts";
import { sessionList } from "../../http/routes/sessions.ts";
import type { ControlDeps } from "../deps.ts";
import { chosenInstance, requireFound } from "../find.ts";
import type { HandlersOf } from "../handler.ts";
import { recordList } from "../lists.ts";
import { sessionResource } from "../resources.ts";

export const sessionRoutes: HandlersOf<"/sessions"> = {
  "GET /sessions": (call, deps) => {
    const { instance, query } = call.query;
    const list = sessionList(deps.store, chosenInstance(deps, instance), sessionResource);
    return recordList(call, deps, query, SESSION_FIELDS, list);
  },

  "GET /sessions/:session_id": async ({ params }, { store }) =>
    sessionResource(requireFound(await store.find("sessions", lowerCaseId(params.session_id)), "session_not_found")),

  "POST /sessions/:session_id/revoke": ({ params }, deps) =>
    setRevoked(deps, lowerCaseId(params.session_id), deps.now().toISOString()),

  "POST /sessions/:session_id/restore": ({ params }, deps) => setRevoked(deps, lowerCaseId(params.session_id), null),
};

async function setRevoked(
  { store }: ControlDeps,
  session_id: string,
  revoked_at: string | null,
): Promise<ReturnType<typeof sessionResource>> {
  const changed = await store.change("sessions", session_id, (before) => {
    if (!before) return undefined;
    // The first revocation counts.
    return { ...before, revoked_at: revoked_at === null ? null : (before.revoked_at ?? revoked_at) };
  });
  return sessionResource(requireFound(changed, "session_not_found"));
}

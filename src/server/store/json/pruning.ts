import type { SessionRecord } from "../records.ts";
import type { Store } from "../store.ts";
import { removal } from "./document/tables.ts";
import type { Commits } from "./document/commits.ts";
import type { Document } from "./document/document.ts";

export function createPruning(document: Document, commits: Commits): Pick<Store, "pruneSessions"> {
  return {
    async pruneSessions(instance_id, before, limit) {
      const isOld = ({ last_signin_at, revoked_at }: SessionRecord): boolean =>
        last_signin_at < before && (revoked_at === null || revoked_at < before);
      const page = { after: { time: before, id: "" }, limit };
      const found: SessionRecord[] = [];
      for await (const batch of document
        .tenant(instance_id)
        .sessions.find(page, (session) => (isOld(session) ? session : undefined)))
        found.push(...batch);
      return commits.commit({
        keys: () => found.map(({ user_id }) => `user ${user_id}`),
        run() {
          // As they are now: a sign-in may have renewed some.
          const old = found
            .map(({ session_id }) => document.tables.sessions.get(session_id, instance_id))
            .filter((session) => session !== undefined && isOld(session));
          return { changes: old.map((session) => removal("sessions", session!)), result: old.length };
        },
      });
    },
  };
}

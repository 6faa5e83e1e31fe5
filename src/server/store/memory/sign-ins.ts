import type { SessionRecord } from "../records.ts";
import type { Cleared, StoredSignIn, SignInLookup, Store } from "../store.ts";
import type { Commits } from "./commits.ts";
import { put, removal, type Change, type Tables } from "./tables.ts";

/** A sign-in from its state to its session. */
export function createSignInOperations(commits: Commits) {
  return {
    saveState: (record) =>
      commits.commit(() => {
        const { states } = commits.tables.tenant(record.instance_id);
        const dropped = states.outdated(record.created_at).map((state) => removal("states", state));
        return { changes: [...dropped, put("states", states.get(record.state), record)], result: undefined };
      }),

    async takeState(state) {
      // A removal that fails is undone, and then the state can be taken again.
      if (!commits.tables.find("states", state)) await commits.written().catch(() => undefined);
      const record = commits.tables.find("states", state);
      if (!record) return undefined;
      return commits.commit(() => {
        const isThere = commits.tables.find("states", state) === record;
        return isThere ? { changes: [removal("states", record)], result: record } : { changes: [], result: undefined };
      });
    },

    completeSignIn: (signIn) =>
      commits.commit(() => {
        const { tables } = commits;
        const { instance_id, provider, ip_address } = signIn;
        const { user, identity, cleared } = signIn.resolveUser(lookUp(tables, signIn));
        const tenant = tables.tenant(instance_id);
        const open = tenant.sessionsOf(user.id).filter(({ revoked_at }) => revoked_at === null);
        const active = cleared
          ? undefined
          : open.find((session) => session.provider === provider && session.ip_address === ip_address);
        const session = signIn.openSession(user, active);
        const changes = [
          ...clearing(tables, instance_id, cleared, open),
          put("users", tenant.users.get(user.id), user),
          put("identities", tenant.identities.get(identity.id), identity),
          put("sessions", tenant.sessions.get(session.session_id), session),
        ];
        return { changes, result: { user, session } };
      }),
  } satisfies Partial<Store>;
}

function clearing(
  tables: Tables,
  instance_id: string,
  cleared: Cleared | undefined,
  open: readonly SessionRecord[],
): Change[] {
  if (!cleared) return [];
  const { revoked_at } = cleared;
  return [
    ...cleared.identities.flatMap((id) => {
      const identity = tables.find("identities", id, instance_id);
      return identity ? [removal("identities", identity)] : [];
    }),
    ...open.map((session) => put("sessions", session, { ...session, revoked_at })),
  ];
}

function lookUp(tables: Tables, { instance_id, provider, uid, email }: StoredSignIn): SignInLookup {
  const tenant = tables.tenant(instance_id);
  const identity = tenant.identityByUid(provider, uid);
  const user = identity && tenant.users.get(identity.user_id);
  if (identity && user) return { known: { identity, user } };
  const sameEmail = tenant.userByEmail(email);
  return sameEmail ? { sameEmail: { user: sameEmail, identities: tenant.identitiesOf(sameEmail.id) } } : {};
}

import type { SessionRecord } from "../records.ts";
import type { Cleared, StoredSignIn, SignInLookup, Store } from "../store.ts";
import type { Commits } from "./commits.ts";
import { put, removal, type Change, type Tables } from "./tables.ts";

export function createSignInOperations(commits: Commits) {
  /**
   * The states whose sign-ins are about to end. They stay in the tables, and so in whatever is written meanwhile: no undone
   * group and no replaced table makes one of them free.
   */
  const claimed = new Set<string>();

  return {
    saveState: (record) =>
      commits.commit(() => {
        const { states } = commits.tables.tenant(record.instance_id);
        const dropped = states.outdated(record.created_at).map((state) => removal("states", state));
        return { changes: [...dropped, put("states", states.get(record.state), record)], result: undefined };
      }),

    async claimState(state) {
      const record = claimed.has(state) ? undefined : commits.tables.find("states", state);
      if (!record) return undefined;
      claimed.add(state);
      const end = (): Promise<void> =>
        commits
          .commit(() => ({ changes: removing(commits.tables, state), result: undefined }))
          .finally(() => claimed.delete(state));
      return { record, end };
    },

    async completeSignIn(signIn) {
      const { instance_id, provider, ip_address, state = "" } = signIn;
      const completed = await commits.commit(() => {
        const { tables } = commits;
        const { user, identity, cleared } = signIn.resolveUser(lookUp(tables, signIn));
        const tenant = tables.tenant(instance_id);
        const open = tenant.sessionsOf(user.id).filter(({ revoked_at }) => revoked_at === null);
        const active = cleared
          ? undefined
          : open.find((session) => session.provider === provider && session.ip_address === ip_address);
        const session = signIn.openSession(user, active);
        const changes = [
          ...removing(tables, state),
          ...clearing(tables, instance_id, cleared, open),
          put("users", tenant.users.get(user.id), user),
          put("identities", tenant.identities.get(identity.id), identity),
          put("sessions", tenant.sessions.get(session.session_id), session),
        ];
        return { changes, result: { user, session } };
      });
      claimed.delete(state);
      return completed;
    },
  } satisfies Partial<Store>;
}

function removing(tables: Tables, state: string): Change[] {
  const record = tables.find("states", state);
  return record ? [removal("states", record)] : [];
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

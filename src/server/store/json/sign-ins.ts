import { fold } from "../../../wire/text/fold.ts";
import type { SessionRecord } from "../records.ts";
import type { Cleared, SignIn, SignInLookup, Store } from "../store.ts";
import type { Commits } from "./document/commits.ts";
import type { Document } from "./document/document.ts";
import type { Change } from "./document/tables.ts";

/** A sign-in from its state to its session. */
export function createSignInOperations(document: Document, commits: Commits) {
  /** The instances whose outdated states are being dropped. Of the saves that arrive together, one does it. */
  const dropping = new Set<string>();
  /** The states whose removal is being written; each settles with it. */
  const taking = new Map<string, Promise<unknown>>();

  return {
    async saveState(record) {
      const { instance_id, created_at } = record;
      let dropped: string[] = [];
      try {
        // Without keys, so that saves never wait for each other: a state is random, and dropping one twice is harmless.
        await commits.commit({
          keys: () => [],
          run() {
            if (!dropping.has(instance_id)) dropped = document.tenant(instance_id).states.outdated(created_at);
            if (dropped.length > 0) dropping.add(instance_id);
            const deletions = dropped.map((state): Change => ["delete", "states", state]);
            return { changes: [...deletions, ["put", "states", record]], result: undefined };
          },
        });
      } finally {
        if (dropped.length > 0) dropping.delete(instance_id);
      }
    },

    async takeState(state) {
      // The result of the first take decides the second.
      while (taking.has(state)) await taking.get(state);
      const record = document.tables.states.get(state);
      if (!record) return undefined;
      const removed = commits.commit<boolean>({
        keys: () => [`state ${state}`],
        run() {
          const isThere = document.tables.states.has(state);
          return { changes: isThere ? [["delete", "states", state]] : [], result: isThere };
        },
      });
      const settle = (): unknown => taking.delete(state);
      taking.set(state, removed.then(settle, settle));
      return { record, removed };
    },

    completeSignIn(signIn) {
      const { instance_id, provider, uid, email } = signIn;
      return commits.commit({
        keys() {
          const { known, sameEmail } = lookUp(document, signIn);
          const user = known?.user ?? sameEmail?.user;
          return [
            `uid ${provider} ${uid}`,
            `email ${instance_id} ${fold(email)}`,
            ...(user ? [`user ${user.id}`] : []),
          ];
        },
        run() {
          const { user, identity, cleared } = signIn.resolveUser(lookUp(document, signIn));
          const open = document
            .tenant(instance_id)
            .sessionsOf(user.id)
            .filter((session) => session.revoked_at === null);
          const active = cleared
            ? undefined
            : open.find((session) => session.provider === provider && session.ip_address === signIn.ip_address);
          const session = signIn.openSession(user, active);
          const changes: Change[] = [
            ...(cleared ? clearing(instance_id, cleared, open) : []),
            ["put", "users", user],
            ["put", "identities", identity],
            ["put", "sessions", session],
          ];
          return { changes, result: { user, session } };
        },
      });
    },
  } satisfies Partial<Store>;
}

function clearing(instance_id: string, { identities, revoked_at }: Cleared, open: readonly SessionRecord[]): Change[] {
  return [
    ...identities.map((id): Change => ["delete", "identities", id, instance_id]),
    ...open.map((session): Change => ["put", "sessions", { ...session, revoked_at }]),
  ];
}

function lookUp(document: Document, { instance_id, provider, uid, email }: SignIn): SignInLookup {
  const tenant = document.tenant(instance_id);
  const identity = tenant.identityByUid(provider, uid);
  const user = identity && document.tables.users.get(identity.user_id, instance_id);
  if (identity && user) return { known: { identity, user } };
  const sameEmail = tenant.userByEmail(email);
  return sameEmail ? { sameEmail: { user: sameEmail, identities: tenant.identitiesOf(sameEmail.id) } } : {};
}

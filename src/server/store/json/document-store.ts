import type { Low } from "lowdb";
import {
  SECRET_PREFIX,
  StoreNotEmpty,
  type Cleared,
  type SignIn,
  type SignInLookup,
  type Store,
  type UserView,
} from "../store.ts";
import type { SessionRecord, SettingRecord, UserRecord } from "../records.ts";
import { fold } from "../../../wire/text/fold.ts";
import { Commits, type Log } from "./document/commits.ts";
import { createSnapshots, type SnapshotStorage } from "./snapshots.ts";
import { removal, type Change } from "./document/tables.ts";
import { Document } from "./document/document.ts";
import type { Tenant } from "./document/tenant.ts";
import { createRecordOperations } from "./record-operations.ts";
import { createPruning } from "./pruning.ts";
import { createStates } from "./states.ts";

/** What a store needs besides its document. */
export interface DocumentStoreParts {
  /** How errors and logs name it. */
  readonly location: string;
  readonly low: Low<Document>;
  readonly log: Log;
  readonly snapshotStorage: SnapshotStorage;
  /** After the last change. */
  closeLog(): Promise<void>;
}

/** A store whose records are in memory, in the document that lowdb has read. A change counts once the log has it. */
export function createDocumentStore({ location, low, log, snapshotStorage, closeLog }: DocumentStoreParts): Store {
  const document = low.data;
  const commits = new Commits(document, log);

  function findUser(instance_id: string, id: string): UserView | undefined {
    const user = document.tables.users.get(id, instance_id);
    return user && view(user);
  }

  function view(user: UserRecord): UserView {
    const providers = document
      .tenant(user.instance_id)
      .identitiesOf(user.id)
      .map((identity) => identity.provider);
    return { user, providers: providers.length > 1 ? [...new Set(providers)] : providers };
  }

  return {
    location,
    ...createRecordOperations(document, commits),
    snapshots: createSnapshots(document, commits, snapshotStorage),

    instances: async () => [...document.tables.instances.values()],

    personas: async () => [...document.tables.personas.values()],

    seed(records) {
      return commits.replace(() => {
        if (!document.isEmpty) throw new StoreNotEmpty("A store that is not empty can't be seeded");
        return Document.of({ ...records, settings: [...document.tables.settings.values()] });
      });
    },

    replace(records) {
      const isSecret = ({ name }: SettingRecord): boolean => name.startsWith(SECRET_PREFIX);
      return commits.replace(() =>
        Document.of({ ...records, settings: [...document.tables.settings.values()].filter(isSecret) }),
      );
    },

    findUser: async (instance_id, id) => findUser(instance_id, id),

    users: (instance_id, options) =>
      document
        .tenant(instance_id)
        .users.find(options, (user) => (document.tables.users.has(user.id, instance_id) ? view(user) : undefined)),

    findSession: async (instance_id, session_id) => document.tables.sessions.get(session_id, instance_id),

    sessions: (instance_id, options) =>
      document
        .tenant(instance_id)
        .sessions.find(options, (session) =>
          document.tables.sessions.has(session.session_id, instance_id) ? session : undefined,
        ),

    deleteUser(instance_id, id) {
      const tenant = (): Tenant => document.tenant(instance_id);
      return commits.commit({
        keys: () => [
          `user ${id}`,
          ...tenant()
            .identitiesOf(id)
            .map((identity) => `uid ${identity.provider} ${identity.uid}`),
        ],
        run() {
          const user = document.tables.users.get(id, instance_id);
          if (!user) return { changes: [], result: false };
          const changes: Change[] = [
            removal("users", user),
            ...tenant()
              .identitiesOf(id)
              .map((identity) => removal("identities", identity)),
            ...tenant()
              .sessionsOf(id)
              .map((session) => removal("sessions", session)),
          ];
          return { changes, result: true };
        },
      });
    },

    ...createPruning(document, commits),
    ...createStates(document, commits),

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

    probe: () => log.probe(),

    async close() {
      await commits.settled();
      await closeLog();
    },
  };
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

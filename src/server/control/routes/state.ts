import { PROVIDERS } from "../../../wire/providers.ts";
import { VERSION } from "../../../wire/version.ts";
import { describeProvider } from "../../providers/offers.ts";
import type { ControlDeps, HandlersOf } from "../deps.ts";
import { Refusal } from "../../errors.ts";
import { SCENARIO_PREFIX } from "../../scenarios/scenarios.ts";
import { requireInstance, chosenInstance } from "../look-up.ts";
import { SEEDED, type SnapshotInfo, type Store } from "../../store/store.ts";
import { crossFaults, suffixFaults } from "../../seed/faults.ts";
import { recordsOf } from "../../seed/parse.ts";
import { refuseFaults } from "../check.ts";
import { requireDefault } from "./instances.ts";
import { personaFaults } from "./personas.ts";
import { PREVIOUS_NAME, SNAPSHOT_NAME } from "../../../wire/control/bodies.ts";
import { generateUsers } from "../generate.ts";
import { listInMemory } from "../lists.ts";
import { dashboardLink } from "../keys.ts";
import { isWaitingForAnybody, scenarioResource } from "./scenarios.ts";

export const stateRoutes = (
  deps: ControlDeps,
): HandlersOf<"/state" | "/reset" | "/seed" | "/snapshots" | "/dashboard-links" | "/dashboard-keys"> => ({
  "GET /state": async () => {
    const { users, sessions } = await deps.store.counts();
    const kinds = PROVIDERS.map((name) => [name, describeProvider(name, deps.instances.all, deps.offers)] as const);
    const clock = deps.shared.clock.read();
    return {
      version: VERSION,
      now: clock.now,
      clock,
      store: deps.store.location,
      providers: Object.fromEntries(kinds) as Record<(typeof PROVIDERS)[number], (typeof kinds)[number][1]>,
      instances: deps.instances.all.length,
      users,
      sessions,
      scenarios: deps.shared.scenarios.known.filter(isWaitingForAnybody).toReversed().map(scenarioResource),
      estimated: Math.max(users, sessions) > (deps.store.maxCounted ?? Infinity),
    };
  },

  "POST /reset": async ({ event, body }) => {
    const { store, shared } = deps;
    const instance = "instance" in body ? requireInstance(deps, body.instance) : undefined;
    const before = await store.counts();
    const [, snapshot] = await replaceRecords(deps, async () => {
      if (instance) await store.clearInstance(instance.id);
      else if (!(await store.snapshots.restore(SEEDED, SCENARIO_PREFIX)))
        throw new Refusal("conflict", "this store does not know its seed; start svc with --reset once");
    });
    const { instances, users, sessions } = await store.counts();
    const count = instance ? before.users - users : before.users;
    deps.audit(event, { action: "records_reset", ...(instance && { instance_id: instance.id }), count });
    await shared.refreshEverywhere();
    return { reset: true, instances, users, sessions, snapshot };
  },

  "POST /seed": async ({ event, body }) => {
    const { generate, ...seed } = body;
    if (generate) {
      if (seed.instances.length + seed.personas.length > 0)
        throw new Refusal("bad_request", "generate: can't be combined with a seed document; send them separately");
      const instance = chosenInstance(deps, generate.instance);
      const { users } = generate;
      await generateUsers(deps.store, { ...generate, instance, now: deps.now(), closing: deps.closing });
      deps.audit(event, { action: "records_imported", instance_id: instance.id, count: users });
      return { instances: 0, users, identities: users, sessions: users, personas: 0 };
    }
    if (seed.instances.length + seed.personas.length === 0)
      throw new Refusal("bad_request", 'the body: needs "instances", "personas" or "generate"');
    const accountFaults = seed.personas.flatMap((persona, i) =>
      personaFaults(persona).map((fault) => `personas[${i}].${fault}`),
    );
    refuseFaults([...accountFaults, ...crossFaults(seed)]);
    refuseFaults(await suffixFaults(seed.instances));
    const records = recordsOf(seed, deps.now());
    for (const instance of records.instances) requireDefault(deps, instance);
    await deps.store.add(records);
    deps.audit(event, { action: "records_imported", count: records.users.length });
    await deps.shared.refresh();
    return Object.fromEntries(Object.entries(records).map(([name, rows]) => [name, rows.length])) as {
      [Name in keyof typeof records]: number;
    };
  },

  "GET /snapshots": async (call) => {
    const snapshots = await deps.store.snapshots.list();
    const newestFirst = snapshots.toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1));
    const all = newestFirst.map((snapshot) => ({ ...snapshot, id: snapshot.name }));
    return listInMemory(call, deps, { name: "snapshots", all, present: snapshotResource });
  },

  "POST /snapshots": async ({ body }) =>
    snapshotResource(await deps.store.snapshots.save(body.name, deps.shared.clock.real().toISOString())),

  "POST /snapshots/:name/restore": async ({ event, params }) => {
    const { store, shared } = deps;
    const all = await store.snapshots.list();
    const snapshot = params.name === PREVIOUS ? previousOf(all)[0] : all.find(({ name }) => name === params.name);
    if (!snapshot) throw missing(params.name);
    const restore = async (): Promise<void> => {
      if (!(await store.snapshots.restore(snapshot.name))) throw missing(snapshot.name);
    };
    const [, previous] = await replaceRecords(deps, restore, snapshot.name);
    deps.audit(event, { action: "snapshot_restored", id: snapshot.name, count: snapshot.records.users });
    await shared.refreshEverywhere();
    const { data, ...resource } = snapshotResource(snapshot);
    return { ...resource, data: { ...data, previous } };
  },

  "DELETE /snapshots/:name": async ({ event, params }) => {
    const name = params.name;
    if (!SNAPSHOT_NAME.test(name) || !(await deps.store.snapshots.delete(name))) throw missing(name);
    deps.audit(event, { action: "snapshot_deleted", id: name });
    return { deleted: true, id: name };
  },

  "POST /dashboard-links": async () => ({
    url: await dashboardLink(deps.dashboardKeys, deps.addresses, false),
  }),

  "POST /dashboard-keys": async ({ body }) => {
    const key = await deps.dashboardKeys.redeem(body.code);
    if (!key) throw new Refusal("unauthorized", "the link was used, or has expired; ask for another one");
    return key;
  },

  "DELETE /dashboard-keys": async ({ event }) => {
    await deps.dashboardKeys.revokeAll();
    deps.audit(event, { action: "dashboard_keys_revoked" });
    return { revoked: true };
  },
});

/** The newest of the snapshots that are saved before records are replaced. */
const PREVIOUS = "previous";
const KEPT = 5;
const turns = new WeakMap<Store, Promise<unknown>>();

/**
 * Saves what is there, then replaces it: one replacement after the other, so that none saves what another has emptied.
 * @param restored a snapshot that is still needed
 * @returns what was replaced, and the name of the snapshot that undoes it
 */
export function replaceRecords<Result>(
  { store, shared }: Pick<ControlDeps, "store" | "shared">,
  replace: () => Promise<Result>,
  restored?: string,
): Promise<readonly [Result, string]> {
  const act = async (): Promise<readonly [Result, string]> => {
    const saved = previousOf(await store.snapshots.list());
    for (const { name } of saved.slice(KEPT - 1)) if (name !== restored) await store.snapshots.delete(name);
    const name = `${PREVIOUS}-${numberOf(saved[0]) + 1}`;
    await store.snapshots.save(name, shared.clock.real().toISOString());
    return [await replace(), name];
  };
  const turn = (turns.get(store) ?? Promise.resolve()).then(act, act);
  turns.set(store, turn);
  return turn;
}

/** `previous-1`, `previous-2` and so on, the newest first. */
function previousOf(snapshots: readonly SnapshotInfo[]): SnapshotInfo[] {
  return snapshots.filter((snapshot) => numberOf(snapshot) > 0).toSorted((a, b) => numberOf(b) - numberOf(a));
}

function numberOf(snapshot: SnapshotInfo | undefined): number {
  return Number(PREVIOUS_NAME.exec(snapshot?.name ?? "")?.[1] ?? 0);
}

function missing(name: string): Refusal {
  return new Refusal("not_found", `there is no snapshot "${name}"`);
}

function snapshotResource({ name, created_at, records }: SnapshotInfo) {
  return { id: name, resource: "snapshot" as const, data: { name, created_at, records: { ...records } } };
}

import { createInstances } from "../instances/instances.ts";
import type { PersonaRecord } from "../store/records.ts";
import { CLOCK_SETTING, type Store } from "../store/store.ts";
import { Clock, type ClockSetting } from "./clock.ts";
import type { Scenario } from "./scenario.ts";
import { secretOf } from "./secrets.ts";
import { changeSetting } from "../store/settings.ts";

export const SCENARIO_PREFIX = "scenario/";

/** How often a process checks for changes by others. */
const LOOK_EVERY_MS = 400;
/** How long what was read may be used. A key's revocation is confirmed only after this time. */
const RELIED_ON_MS = 800;

export type SharedState = Awaited<ReturnType<typeof createSharedState>>;

/** What can be changed while the service runs, as this process knows it. @param realNow the machine's time */
export async function createSharedState(store: Store, realNow: () => Date) {
  const clock = new Clock(realNow);
  const instances = createInstances(clock.now);
  const listeners: ((personas: readonly PersonaRecord[]) => void)[] = [];
  let personas: readonly PersonaRecord[] = [];
  let scenarios: readonly Scenario[] = [];
  let revision: string | undefined;
  let seenAt = performance.now();
  let running: Promise<void> | undefined;
  let waiting: Promise<void> | undefined;

  async function read(): Promise<void> {
    const startedAt = performance.now();
    const latest = await store.revision?.();
    if (latest === undefined || latest !== revision) {
      const [all, people, settings] = await Promise.all([store.instances(), store.personas(), liveSettings(store)]);
      instances.replace(all);
      if (!isSameList(personas, people)) {
        personas = people;
        for (const listener of listeners) listener(personas);
      }
      clock.follow(settings.clock);
      scenarios = settings.scenarios;
      revision = latest;
    }
    seenAt = startedAt;
  }

  function begin(): Promise<void> {
    running = read().finally(() => (running = undefined));
    return running;
  }

  /** Reads one at a time. Calls during a read share the next one, as the current one may miss their change. */
  function refresh(): Promise<void> {
    if (!running) return begin();
    waiting ??= running
      .catch(() => undefined)
      .then(() => {
        waiting = undefined;
        return begin();
      });
    return waiting;
  }

  const isRecent = (): boolean => performance.now() - seenAt <= RELIED_ON_MS;

  await read();
  const sealKey = await secretOf(store, "seal");
  const timer = store.revision && setInterval(() => void refresh().catch(() => undefined), LOOK_EVERY_MS).unref();
  return {
    instances,
    /** In the order in which they were created. */
    get personas(): readonly PersonaRecord[] {
      return personas;
    },
    get scenarios(): readonly Scenario[] {
      return scenarios;
    },
    /** Replaces one that was counted down here. */
    keepScenario(scenario: Scenario): void {
      scenarios = scenarios.map((before) => (before.id === scenario.id ? scenario : before));
    },
    clock,
    /** Stored, so that every process can open what another sealed. */
    sealKey,
    /** Reads the store again, after a change here. */
    refresh,
    /** Reads the store again, and waits until no other process uses the earlier state. */
    async refreshEverywhere(): Promise<void> {
      await refresh();
      if (store.revision) await new Promise((resolve) => setTimeout(resolve, RELIED_ON_MS + LOOK_EVERY_MS / 4));
    },
    async setClock(setting: ClockSetting): Promise<void> {
      await changeSetting(store, CLOCK_SETTING, () => ({ ...setting }));
      await refresh();
    },
    /** Undefined if what was read is recent enough, otherwise resolves when it is. @throws {StorageUnavailable} */
    recent(): Promise<void> | undefined {
      if (!store.revision || isRecent()) return undefined;
      // Joins the read that is running: while the database does not answer, requests must not queue up.
      return (running ?? begin()).then(() => (isRecent() ? undefined : refresh()));
    },
    onPersonas: (listener: (personas: readonly PersonaRecord[]) => void): void => void listeners.push(listener),
    close: (): void => clearInterval(timer),
  };
}

async function liveSettings(store: Store): Promise<{ clock: ClockSetting; scenarios: Scenario[] }> {
  const [clock, scenarios] = await Promise.all([store.settings(CLOCK_SETTING), store.settings(SCENARIO_PREFIX)]);
  return {
    clock: (clock[0]?.value as ClockSetting | undefined) ?? { mode: "real" },
    scenarios: scenarios.map(({ value }) => value as unknown as Scenario).toSorted((a, b) => a.order - b.order),
  };
}

function isSameList(before: readonly PersonaRecord[], after: readonly PersonaRecord[]): boolean {
  return before.length === after.length && before.every((persona, i) => persona === after[i]);
}

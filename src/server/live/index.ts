import { createInstances } from "../instances/instances.ts";
import type { PersonaRecord } from "../store/records.ts";
import { CLOCK_SETTING, type Store } from "../store/store.ts";
import { Clock, type ClockSetting } from "./clock.ts";
import type { Scenario } from "./scenario.ts";
import { secretOf } from "./secrets.ts";
import { changeSetting } from "../store/settings.ts";

export const SCENARIO_PREFIX = "scenario/";

/** How often a process looks for what others have changed. */
const LOOK_EVERY_MS = 400;
/** How long a cached state is used. Revoking a key takes this long before it is confirmed. */
const RELIED_ON_MS = 800;

export type Live = Awaited<ReturnType<typeof createLive>>;

/** What of the service can be changed while it runs, as this process knows it. @param realNow the time of the machine */
export async function createLive(store: Store, realNow: () => Date) {
  const clock = new Clock(realNow);
  const instances = createInstances();
  const listeners: ((personas: readonly PersonaRecord[]) => void)[] = [];
  let personas: readonly PersonaRecord[] = [];
  let scenarios: readonly Scenario[] = [];
  let revision: string | undefined;
  let seenAt = performance.now();
  let running: Promise<void> | undefined;
  let waiting: Promise<void> | undefined;

  async function read(): Promise<void> {
    const begun = performance.now();
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
    seenAt = begun;
  }

  function begin(): Promise<void> {
    running = read().finally(() => (running = undefined));
    return running;
  }

  /** One reading at a time; what is asked for while one is under way needs another, which all who ask share. */
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
    /** Of the store, in the order in which they were made. */
    get personas(): readonly PersonaRecord[] {
      return personas;
    },
    get scenarios(): readonly Scenario[] {
      return scenarios;
    },
    /** Takes over one that was met here. */
    keepScenario(scenario: Scenario): void {
      scenarios = scenarios.map((before) => (before.id === scenario.id ? scenario : before));
    },
    clock,
    /** Of the store: what one process seals, every other opens. */
    sealKey,
    /** Reads again what was changed here. */
    refresh,
    /** The same, and returns when no other process relies on what was before. */
    async refreshEverywhere(): Promise<void> {
      await refresh();
      if (store.revision) await new Promise((resolve) => setTimeout(resolve, RELIED_ON_MS + LOOK_EVERY_MS / 4));
    },
    async setClock(setting: ClockSetting): Promise<void> {
      await changeSetting(store, CLOCK_SETTING, () => ({ ...setting }));
      await refresh();
    },
    /** Undefined where what is known is recent enough, else when it is. @throws {StorageUnavailable} */
    recent(): Promise<void> | undefined {
      if (!store.revision || isRecent()) return undefined;
      // Not one more in line: while the database does not answer, every request would wait for those before it.
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

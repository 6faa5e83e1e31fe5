import { createInstances } from "../instances/instances.ts";
import type { PersonaRecord } from "../store/records.ts";
import { CLOCK_SETTING, type Store, SECRET_PREFIX } from "../store/store.ts";
import { createScenarios, SCENARIO_PREFIX } from "../scenarios/scenarios.ts";
import { changeSetting } from "../store/settings.ts";
import { randomBytes } from "node:crypto";
import type { AnswerOf } from "../../wire/control/types.ts";

/** How often a process checks for changes by others. */
const LOOK_EVERY_MS = 400;
/** How long what was read may be used. A key's revocation is confirmed only after this time. */
const RELIED_ON_MS = 800;

export type SharedState = Awaited<ReturnType<typeof createSharedState>>;

/**
 * What can be changed while the service runs, as this process knows it.
 * @param realNow the machine's time
 * @param onInstances called when instances may have changed, here or at another process
 */
export async function createSharedState(store: Store, realNow: () => Date, onInstances: () => void = () => {}) {
  const clock = createClock(realNow);
  const instances = createInstances();
  const scenarios = createScenarios(store);
  const listeners: ((personas: readonly PersonaRecord[]) => void)[] = [];
  let personas: readonly PersonaRecord[] = [];
  let revision: string | undefined;
  let seenAt = performance.now();
  let running: Promise<void> | undefined;
  let waiting: Promise<void> | undefined;

  async function read(): Promise<void> {
    const startedAt = performance.now();
    const latest = await store.revision?.();
    if (latest === undefined || latest !== revision) {
      const [all, people, [setting], found] = await Promise.all([
        store.instances(),
        store.personas(),
        store.settings(CLOCK_SETTING),
        store.settings(SCENARIO_PREFIX),
      ]);
      instances.replace(all);
      onInstances();
      if (!isSameList(personas, people)) {
        personas = people;
        for (const listener of listeners) listener(personas);
      }
      clock.follow((setting?.value as ClockSetting | undefined) ?? { mode: "real" });
      scenarios.follow(found);
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
  const sealKey = await sealKeyOf(store);
  store.onLate?.(() => void refresh().catch(() => undefined));
  const timer = store.revision && setInterval(() => void refresh().catch(() => undefined), LOOK_EVERY_MS).unref();
  return {
    instances,
    /** In the order in which they were created. */
    get personas(): readonly PersonaRecord[] {
      return personas;
    },
    scenarios,
    clock,
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

function isSameList(before: readonly PersonaRecord[], after: readonly PersonaRecord[]): boolean {
  return before.length === after.length && before.every((persona, i) => persona === after[i]);
}

/**
 * What is sealed with, created on first use: 32 random bytes, the same for every process on the store and after a restart, and
 * not derived from anything that can change.
 */
async function sealKeyOf(store: Store): Promise<Buffer> {
  const { secret } = await kept(store, "seal", () => ({ secret: randomBytes(32).toString("base64url") }));
  return Buffer.from(String(secret), "base64url");
}

/** The RSA key of the simulated OpenID provider, as a JWK: created on first use, and kept as secrets are. */
export const openIdKeyOf = (store: Store, make: Make) => kept(store, "openid", make);

type Make = () => Record<string, unknown> | Promise<Record<string, unknown>>;

async function kept(store: Store, name: string, make: Make): Promise<Readonly<Record<string, unknown>>> {
  const there = await store.find("settings", SECRET_PREFIX + name);
  if (there) return there.value;
  const made = await make();
  // Another process may have been faster.
  return (await changeSetting(store, SECRET_PREFIX + name, (before) => before ?? made))!;
}

/** How the clock runs. `running`: `offset_ms` from real time; `frozen`: stopped at `at`. */
export type ClockSetting =
  | { readonly mode: "real" }
  | { readonly mode: "running"; readonly offset_ms: number }
  | { readonly mode: "frozen"; readonly at: string };

/** The one clock of states, tokens, codes, sessions and dates. Timers and deadlines do not follow it. */
function createClock(real: () => Date) {
  let setting: ClockSetting = { mode: "real" };

  function now(): Date {
    if (setting.mode === "real") return real();
    return setting.mode === "frozen" ? new Date(setting.at) : new Date(real().getTime() + setting.offset_ms);
  }
  const frozenAt = (at: Date): ClockSetting => ({ mode: "frozen", at: at.toISOString() });
  const runningFrom = (at: Date): ClockSetting => ({ mode: "running", offset_ms: at.getTime() - real().getTime() });

  return {
    now,
    /** For what must not follow this clock. */
    real,
    get setting(): ClockSetting {
      return setting;
    },
    follow: (latest: ClockSetting) => void (setting = latest),
    read(): AnswerOf<"GET /clock"> {
      const at = now();
      return { now: at.toISOString(), mode: setting.mode, offset_ms: at.getTime() - real().getTime() };
    },
    frozenAt,
    runningFrom,
    /** In the current mode, but at `at`. */
    movedTo: (at: Date) => (setting.mode === "frozen" ? frozenAt(at) : runningFrom(at)),
  };
}

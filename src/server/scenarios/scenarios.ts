import type { AnswerOf } from "../../wire/control/types.ts";
import type { Edit } from "../simulator/edit.ts";
import type { SettingRecord } from "../store/records.ts";
import { changeSetting, deleteSetting } from "../store/settings.ts";
import type { Store } from "../store/store.ts";

export const SCENARIO_PREFIX = "scenario/";

/** Used-up scenarios stay visible, up to this number. */
const MAX_USED_UP = 1000;
/** Maximum number of states that a scenario remembers, so that a reload repeats its decision. */
const MAX_STATES = 1000;

type Shown = AnswerOf<"GET /scenarios">[number]["data"];

/** How matching sign-ins end; stored, so that every process applies it. The instance in `match` is an id. */
export interface StoredScenario extends Readonly<Omit<Shown, "profile" | "omit" | "remaining">> {
  readonly id: string;
  readonly profile?: Edit | undefined;
  /** Digests of the states that it decided, so that a reload of the authorize page repeats it. */
  readonly states: readonly string[];
  /** Ascending in order of creation, whatever the clock says. */
  readonly order: number;
}

/** How many more sign-ins it applies to; null for no limit. */
export function remainingOf({ times, used }: StoredScenario): number | null {
  return times === null ? null : Math.max(0, times - used);
}

export type Scenarios = ReturnType<typeof createScenarios>;

/** The scenarios of a store: those that this process knows decide sign-ins, and the stored ones are shown and changed. */
export function createScenarios(store: Store) {
  let known: readonly StoredScenario[] = [];
  const inOrder = (settings: readonly SettingRecord[]): StoredScenario[] =>
    settings.map(({ value }) => value as unknown as StoredScenario).toSorted((a, b) => a.order - b.order);

  async function stored(): Promise<StoredScenario[]> {
    return inOrder(await store.settings(SCENARIO_PREFIX)).toReversed();
  }

  return {
    /** As this process knows them, in the order in which they were created. */
    get known(): readonly StoredScenario[] {
      return known;
    },

    /** Knows what was read from the store. */
    follow: (settings: readonly SettingRecord[]) => void (known = inOrder(settings)),

    /** As they are in the store, newest first. */
    stored,

    /** @param now the machine's time, in milliseconds */
    async add(own: Omit<StoredScenario, "used" | "states" | "order">, now: number): Promise<StoredScenario> {
      const existing = await stored();
      const order = Math.max(now, ...existing.map((other) => other.order + 1));
      const scenario: StoredScenario = { ...own, used: 0, states: [], order };
      await changeSetting(store, SCENARIO_PREFIX + scenario.id, () => ({ ...scenario }));
      const usedUp = existing.filter((other) => remainingOf(other) === 0).slice(MAX_USED_UP);
      for (const { id } of usedUp) await deleteSetting(store, SCENARIO_PREFIX + id);
      return scenario;
    },

    /** @returns false if there was none */
    delete: (id: string): Promise<boolean> => deleteSetting(store, SCENARIO_PREFIX + id),

    /**
     * Counts a sign-in, in one step over all processes, once per state.
     * @returns the scenario; undefined if it is used up or was deleted
     */
    async take({ id }: StoredScenario, digest: string): Promise<StoredScenario | undefined> {
      let taken: StoredScenario | undefined;
      await changeSetting(store, SCENARIO_PREFIX + id, (value) => {
        const before = value as unknown as StoredScenario | undefined;
        taken = before && counted(before, digest);
        return taken ? { ...taken } : value;
      });
      if (taken) known = known.map((before) => (before.id === id ? taken! : before));
      return taken;
    },
  };
}

/** With one more sign-in counted; undefined if it is used up. */
function counted(scenario: StoredScenario, digest: string): StoredScenario | undefined {
  const { states, used } = scenario;
  if (states.includes(digest)) return scenario;
  if (remainingOf(scenario) === 0) return undefined;
  return { ...scenario, used: used + 1, states: [...states, digest].slice(-MAX_STATES) };
}

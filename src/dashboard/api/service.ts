import { signal } from "@preact/signals";
import { visible } from "../../wire/visible.ts";
import { clockOffset } from "../ui/time.tsx";
import { get } from "./client.ts";
import { onEvent, type ServerEvent } from "./stream.ts";
import type { Clock, Instance, Outcome, State } from "./records.ts";

interface Service {
  readonly state: State | undefined;
  readonly clock: Clock | undefined;
  readonly instances: readonly Instance[];
  readonly outcomes: readonly Outcome[];
  /** The names of the providers. */
  readonly providers: readonly string[];
  /** Why none of it could be read. */
  readonly problem: string | undefined;
}

/** What every view needs to know of the service. */
export const service = signal<Service>({
  state: undefined,
  clock: undefined,
  instances: [],
  outcomes: [],
  providers: [],
  problem: undefined,
});

export async function refreshState(): Promise<void> {
  try {
    const [state, instances, outcomes] = await Promise.all([
      get<State>("state"),
      get<Instance[]>("instances"),
      service.peek().outcomes.length > 0 ? service.peek().outcomes : get<Outcome[]>("outcomes"),
    ]);
    service.value = {
      state,
      clock: state.clock,
      // The oldest first: it is the one that the API means where none is named.
      instances: instances.toReversed(),
      outcomes,
      providers: Object.keys(state.providers),
      problem: undefined,
    };
    setClock(state.clock);
  } catch (error) {
    service.value = { ...service.peek(), problem: (error as Error).message };
  }
}

const REFRESH_MS = 400;
const READ_ONLY = ["GET", "HEAD", "OPTIONS"];

/** Reads the state again, soon after anything has changed it: a sign-in that ended, or a request that writes. */
export function followChanges(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return onEvent((event) => {
    if (!isChange(event) || timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      void refreshState();
    }, REFRESH_MS);
  });
}

function isChange({ resource, data }: ServerEvent): boolean {
  return resource === "flow" ? data["result"] !== "open" : !READ_ONLY.includes(String(data["method"]));
}

/** After a change of the clock, without asking again. */
export function setClock(clock: Clock): void {
  service.value = { ...service.peek(), clock };
  clockOffset.value = Date.parse(clock.now) - Date.now();
}

/** An instance's name, by its id or subdomain; what is not known is named as it was asked for. */
export function instanceName(id: string | null | undefined): string {
  return visible(
    service.value.instances.find((one) => one.id === id || one.data.subdomain === id)?.data.name ?? id ?? "",
  );
}

import { signal } from "@preact/signals";
import type { Provider } from "../../wire/names.ts";
import { visible } from "../../wire/visible.ts";
import { clockOffset } from "../ui/time.tsx";
import type { ServerEvent } from "../../control-client/index.ts";
import { control, unavailable } from "./client.ts";
import { onEvent } from "./stream.ts";
import type { Clock, Instance, Outcome, State } from "./records.ts";

interface Service {
  readonly state: State | undefined;
  readonly clock: Clock | undefined;
  readonly instances: readonly Instance[];
  readonly outcomes: readonly Outcome[];
  readonly providers: readonly Provider[];
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

/** How often the service has answered again after it did not: what could not be loaded before is loaded then. */
export const recoveries = signal(0);

export async function refreshState(): Promise<void> {
  const had = service.peek().problem;
  try {
    const [state, instances, outcomes] = await Promise.all([
      control.request("GET /state"),
      control.request("GET /instances"),
      service.peek().outcomes.length > 0 ? service.peek().outcomes : control.request("GET /outcomes"),
    ]);
    service.value = {
      state,
      clock: state.clock,
      // The oldest first: it is the one that the API means where none is named.
      instances: instances.toReversed(),
      outcomes,
      providers: Object.keys(state.providers) as Provider[],
      problem: undefined,
    };
    setClock(state.clock);
    if (had !== undefined) recoveries.value++;
  } catch (error) {
    service.value = { ...service.peek(), problem: (error as Error).message };
  }
}

const REFRESH_MS = 400;
const RETRY_MS = 2000;
const READ_ONLY = ["GET", "HEAD", "OPTIONS"];

/**
 * Reads the state again, soon after anything has changed it: a sign-in that ended, or a request that writes; and while the
 * server can't answer, until it can. A tab that is not in sight waits until it is: twenty of them would ask at once.
 */
export function followChanges(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStale = false;
  const refreshIn = (ms: number): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      isStale = document.hidden;
      if (!isStale) void refreshState();
    }, ms);
  };
  const onVisible = (): void => {
    if (isStale) refreshIn(0);
  };
  document.addEventListener("visibilitychange", onVisible);
  const stops = [
    onEvent((event) => {
      if (isChange(event)) refreshIn(REFRESH_MS);
    }),
    // The server says so of the state, too, which tries again.
    unavailable.subscribe((times) => {
      if (times > 0) refreshIn(service.peek().problem === undefined ? REFRESH_MS : RETRY_MS);
    }),
  ];
  return () => {
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", onVisible);
    for (const stop of stops) stop();
  };
}

function isChange({ resource, data }: ServerEvent): boolean {
  return resource === "flow" ? data.result !== "open" : !READ_ONLY.includes(data.method);
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

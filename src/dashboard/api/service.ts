import { signal } from "@preact/signals";
import type { Provider } from "../../wire/names.ts";
import { visible } from "../../wire/visible.ts";
import { clockOffset } from "../ui/time.tsx";
import type { ServerEvent } from "../../control-client/index.ts";
import { control, unavailable } from "./client.ts";
import { onEvent, streamStatus } from "./stream.ts";
import type { Clock, Instance, Outcome, State } from "./records.ts";

interface Service {
  readonly state: State | undefined;
  readonly clock: Clock | undefined;
  readonly instances: readonly Instance[];
  readonly outcomes: readonly Outcome[];
  readonly providers: readonly Provider[];
  /** The error, if it could not be read. */
  readonly problem: string | undefined;
}

/** The state of the service that every view needs. */
export const service = signal<Service>({
  state: undefined,
  clock: undefined,
  instances: [],
  outcomes: [],
  providers: [],
  problem: undefined,
});

/** Counts the times that the service responds again after failures. Views then retry what failed. */
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
      // Oldest first: the first is the API's default instance.
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
 * Reads the state again soon after a change: a finished sign-in, or a request that writes. While the server can't answer,
 * it retries. A hidden tab waits until it is visible, because twenty tabs would send requests at once.
 */
export function followChanges(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStale = false;
  let isLost = false;
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
    streamStatus.subscribe((status) => {
      if (isLost && status === "live") recoveries.value++;
      isLost = status === "reconnecting";
    }),
    // Reading the state fails in the same way, and is retried.
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

/** Applies a change of the clock without another request. */
export function setClock(clock: Clock): void {
  service.value = { ...service.peek(), clock };
  clockOffset.value = Date.parse(clock.now) - Date.now();
}

/** An instance's name, by its id or subdomain. An unknown one is returned unchanged. */
export function instanceName(id: string | null | undefined): string {
  return visible(
    service.value.instances.find((one) => one.id === id || one.data.subdomain === id)?.data.name ?? id ?? "",
  );
}

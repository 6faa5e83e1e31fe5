import { computed, signal } from "@preact/signals";
import type { Provider } from "../../wire/providers.ts";
import { isControlApi } from "../../wire/control/paths.ts";
import { visible } from "../../text/harmless.ts";
import {
  changes,
  control,
  unavailable,
  type Clock,
  type Instance,
  type Outcome,
  type RequestEntry,
  type State,
  type User,
} from "./client.ts";
import { onEvent } from "./stream.ts";

interface Service {
  readonly state?: State | undefined;
  readonly instances: readonly Instance[];
  readonly outcomes: readonly Outcome[];
  readonly providers: readonly Provider[];
  /** The error, if it could not be read. */
  readonly problem?: string | undefined;
}

export const service = signal<Service>({ instances: [], outcomes: [], providers: [] });

/** Apart from the counts, which change with each sign-in: what shows names alone need not be drawn again. */
const instances = computed(() => service.value.instances);

/** The id of the instance that was chosen last: lists and forms begin with it. */
export const preferredInstance = signal<string | undefined>(undefined);

/** An empty text means all of them. */
export function chooseInstance(id: string): void {
  preferredInstance.value = id || undefined;
}

/** The instance to begin with: an address's, else the one that was chosen last, else the first. */
export function currentInstance(wanted?: string): string {
  const all = instances.value;
  const found = [wanted, preferredInstance.value]
    .filter(Boolean)
    .map((name) => all.find(({ id, data }) => id === name || data.subdomain === name))
    .find(Boolean);
  return (found ?? all[0])?.id ?? wanted ?? "";
}

/** The offset of the service's clock from this browser's, in milliseconds. A moved clock moves all relative times. */
export const clockOffset = signal(0);

/** @param isCountsOnly whether the instances can't have changed */
export async function refreshState(isCountsOnly = false): Promise<void> {
  const before = service.peek();
  try {
    const [state, found, outcomes] = await Promise.all([
      control.request("GET /state"),
      // Oldest first: the first is the API's default instance.
      isCountsOnly ? undefined : control.request("GET /instances").then((all) => all.toReversed()),
      before.outcomes.length > 0 ? before.outcomes : control.request("GET /outcomes"),
    ]);
    const { instances: known } = service.peek();
    service.value = {
      state,
      instances: !found || JSON.stringify(known) === JSON.stringify(found) ? known : found,
      outcomes,
      providers: Object.keys(state.providers) as Provider[],
    };
    setClock(state.clock);
    if (before.problem !== undefined) changes.value++;
  } catch (error) {
    service.value = { ...service.peek(), problem: (error as Error).message };
  }
}

const REFRESH_MS = 400;
/** While sign-ins follow each other. */
const BUSY_MS = 2000;
const RETRY_MS = 2000;
const READ_ONLY = ["GET", "HEAD", "OPTIONS"];

/**
 * Reads the state again soon after a change: the counts after a sign-in, and everything after a request of the control API
 * that writes. While the server can't answer, it retries.
 */
export function followChanges(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = -Infinity;
  let isCountsOnly = true;
  const refreshIn = (ms: number): void => {
    const pause = Math.max(ms, last + BUSY_MS - performance.now());
    timer ??= setTimeout(() => {
      timer = undefined;
      last = performance.now();
      void refreshState(isCountsOnly && service.peek().problem === undefined);
      isCountsOnly = true;
    }, pause);
  };
  const stops = [
    onEvent(({ resource, data }) => {
      if (resource === "flow" ? data.result === "open" : !isWrite(data)) return;
      if (resource === "request") isCountsOnly = false;
      refreshIn(REFRESH_MS);
    }),
    // Reading the state fails in the same way, and is retried.
    unavailable.subscribe((times) => {
      if (times > 0) refreshIn(service.peek().problem === undefined ? REFRESH_MS : RETRY_MS);
    }),
  ];
  return () => {
    clearTimeout(timer);
    for (const stop of stops) stop();
  };
}

/** Whether a request of one of the APIs changes records. A sign-in does so too, and has an event of its own. */
export function isWrite({ method, path }: RequestEntry["data"]): boolean {
  return !READ_ONLY.includes(method) && (isControlApi(path) || /^\/api\/v1\/(?!tokens\b)/.test(path));
}

/** Applies a change of the clock without another request. */
export function setClock(clock: Clock): void {
  const { state, ...rest } = service.peek();
  service.value = { ...rest, state: state && { ...state, clock } };
  clockOffset.value = Date.parse(clock.now) - Date.now();
}

/** An instance's name, by its id or subdomain. An unknown one is returned unchanged. */
export function instanceName(id: string | null | undefined): string {
  return visible(instances.value.find((one) => one.id === id || one.data.subdomain === id)?.data.name ?? id ?? "");
}

/** Revokes every open session of a user. @returns their number */
export async function revokeSessionsOf({ id, data: { instance } }: User): Promise<number> {
  const query = `user_id:${id} active:true`;
  let revoked = 0;
  for await (const { data } of control.rows("GET /sessions", { instance, query })) {
    const params = { session_id: data.session_id };
    await control.request("POST /sessions/:session_id/revoke", { params, query: { instance } });
    revoked++;
  }
  return revoked;
}

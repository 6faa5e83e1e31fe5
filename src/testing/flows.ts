import { ControlError, type ControlClient } from "../control-client/index.ts";
import type { AnswerOf, BodyOf, QueryOf } from "../wire/control/types.ts";
import { ServeError } from "../server/errors.ts";
import type { Duration } from "./clock.ts";
import { durationMs } from "../text/time.ts";
import { kitOptionsOf } from "./options.ts";

/** A sign-in, step by step, with the reason in words if it failed. */
export type Flow = AnswerOf<"GET /flows">[number];
export type FlowFilter = Omit<NonNullable<QueryOf<"GET /flows">>, "wait" | "format">;

/** What happened to sign-ins since the last reset. */
export interface TestFlows {
  /** Newest first. */
  list(filter?: FlowFilter): Promise<Flow[]>;
  get(id: string): Promise<Flow>;
  /** The newest sign-in that matches. Undefined if there is none. */
  latest(filter?: FlowFilter): Promise<Flow | undefined>;
  /**
   * Waits until a sign-in matches, such as `{ result: "error" }`; without a filter, any. Sign-ins since the last reset count, even if they are
   * over; pass `newer_than` with the id of a sign-in to wait for a later one.
   * @param within default 4 s, which is shorter than the time that Vitest gives a test; at most 25 s
   * @throws {ControlError} `timeout` if none did, with the latest sign-ins and how they ended
   * @throws {ServeError} for a `within` that is not a duration
   */
  waitFor(filter?: FlowFilter, within?: Duration): Promise<Flow>;
  /** Counts by result, error, provider and outcome. */
  summary(filter?: FlowFilter): Promise<AnswerOf<"GET /flows/summary">>;
  /** Runs a sign-in again, with another `outcome`, `as` or `provider`. */
  replay(id: string, change?: BodyOf<"POST /flows/:id/replay">): Promise<AnswerOf<"POST /flows/:id/replay">>;
}

/** What became of a scenario at each sign-in that could have met it. */
export function meetingsOf(flows: readonly Flow[], scenario: string): { flow: Flow; because: string }[] {
  return flows.flatMap((flow) =>
    flow.data.considered.filter((one) => one.scenario === scenario).map(({ because }) => ({ flow, because })),
  );
}

/**
 * The sign-in of a test's browser: the one that met the test's own scenario, or else one that met another scenario.
 * @param flows those of the browser since the test asked for one
 */
export function wonBy(flows: readonly Flow[], scenario: string): Flow | undefined {
  return (
    flows.find(({ data }) => data.scenario?.id === scenario) ?? flows.findLast(({ data }) => data.scenario !== null)
  );
}

const DEFAULT_WAIT = "4s";
/** The service answers by then. */
const MAX_WAIT_MS = 25_000;

/** The newest sign-in before the last reset: the service keeps it, and every look-up leaves out what is not newer. */
export interface Forgotten {
  newer_than?: string | undefined;
}

const given = (of: string, filter: FlowFilter = {}): FlowFilter => kitOptionsOf(of, filter, '{ result: "error" }');

/**
 * @param scope what every look-up is narrowed to, such as an instance
 * @param forgotten shared by all views of a service
 * @returns also `forget`, which leaves out the sign-ins so far
 */
export function createTestFlows(
  control: ControlClient,
  scope: FlowFilter,
  forgotten: Forgotten,
): { flows: TestFlows; forget: () => Promise<void> } {
  const forget = async (): Promise<void> => {
    const [newest] = await control.request("GET /flows", { query: { limit: 1 } });
    forgotten.newer_than = newest?.id;
  };
  const list = async (filter: QueryOf<"GET /flows"> = {}): Promise<Flow[]> =>
    control.request("GET /flows", { query: { ...scope, ...forgotten, ...given("flows.list", filter) } });
  const flows: TestFlows = {
    list,
    get: (id) => control.request("GET /flows/:id", { params: { id } }),
    async latest(filter) {
      return (await list({ ...given("flows.latest", filter), limit: 1 }))[0];
    },
    async waitFor(filter = {}, within = DEFAULT_WAIT) {
      if (typeof within !== "string" && typeof within !== "number")
        throw new ServeError('flows.waitFor needs how long to wait as a duration: waitFor(filter, "10s").');
      const wait = typeof within === "number" ? `${within}ms` : within;
      if ((durationMs(wait) ?? 0) > MAX_WAIT_MS)
        throw new ServeError(`flows.waitFor waits for at most ${MAX_WAIT_MS / 1000}s, not ${wait}.`);
      const [flow] = await list({ ...given("flows.waitFor", filter), limit: 1, wait });
      if (flow) return flow;
      const seen = (await list({ limit: 5 })).map(({ data }) => `${data.provider} ${data.error ?? data.result}`);
      throw new ControlError(
        "timeout",
        undefined,
        `No sign-in matched ${JSON.stringify(filter)} within ${wait}. The latest: ${seen.join(", ") || "none"}.`,
      );
    },
    summary: async (filter) =>
      control.request("GET /flows/summary", { query: { ...scope, ...forgotten, ...given("flows.summary", filter) } }),
    replay: (id, change = {}) => control.request("POST /flows/:id/replay", { params: { id }, body: change }),
  };
  return { flows, forget };
}

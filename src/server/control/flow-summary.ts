import type { AnswerOf } from "../../wire/control/types.ts";
import type { Flow } from "../history/flows.ts";

type Summary = AnswerOf<"GET /flows/summary">;
type Failure = Summary["failures"][number];

const MAX_PEOPLE = 3;

/**
 * Counts sign-ins, and groups those that failed by their reason.
 * @param flows newest first
 * @param span what to divide into periods of equal length, in milliseconds since 1970
 */
export function summaryOf(
  flows: readonly Flow[],
  span?: { readonly from: number; readonly to: number; readonly periods: number },
): Summary {
  return {
    total: flows.length,
    ...counts(flows),
    errors: count(flows, ({ error }) => error),
    outcomes: count(flows, ({ requested_outcome }) => requested_outcome),
    failures: failuresOf(flows),
    periods: span ? periodsOf(flows, span) : [],
  };
}

function counts(flows: readonly Flow[]): Pick<Summary, "results" | "providers"> {
  return {
    results: { token: 0, error: 0, open: 0, ...count(flows, ({ result }) => result) },
    providers: count(flows, ({ provider }) => provider),
  };
}

/** Most frequent first. What a reason quotes, such as an address, differs from sign-in to sign-in, and is not compared. */
function failuresOf(flows: readonly Flow[]): Failure[] {
  const groups = new Map<string, Failure>();
  for (const { id, as, error, provider, reason, result, started_at } of flows) {
    if (result !== "error") continue;
    const filter = reason?.split('"', 1)[0]!.trim() ?? "";
    const key = `${error} ${filter}`;
    const group = groups.get(key) ?? {
      reason,
      filter,
      error,
      count: 0,
      providers: [],
      people: [],
      latest: { id, started_at },
    };
    groups.set(key, group);
    group.count++;
    if (provider && !group.providers.includes(provider)) group.providers.push(provider);
    if (as && group.people.length < MAX_PEOPLE && !group.people.includes(as)) group.people.push(as);
  }
  return [...groups.values()].toSorted((one, other) => other.count - one.count);
}

function periodsOf(
  flows: readonly Flow[],
  { from, to, periods }: { readonly from: number; readonly to: number; readonly periods: number },
): Summary["periods"] {
  const width = (to - from) / periods;
  const parts = Array.from({ length: periods }, (): Flow[] => []);
  for (const flow of flows) parts[Math.floor((Date.parse(flow.started_at) - from) / width)]?.push(flow);
  return parts.map((part, n) => ({ from: new Date(from + n * width).toISOString(), ...counts(part) }));
}

function count(flows: readonly Flow[], valueOf: (flow: Flow) => string | null): Record<string, number> {
  const result: Record<string, number> = {};
  for (const flow of flows) {
    const value = valueOf(flow);
    if (value !== null) result[value] = (result[value] ?? 0) + 1;
  }
  return result;
}

import { fold } from "../text/fold.ts";
import { isOfPerson } from "./person.ts";
import type { AnswerOf, QueryOf } from "./types.ts";

type Flow = Omit<AnswerOf<"GET /flows">[number]["data"], "process">;
type Query = NonNullable<QueryOf<"GET /flows/summary">>;

/** What sign-ins are filtered by, with the instance's id and times in ISO 8601. */
export type FlowFilter = Pick<
  Query,
  "result" | "error" | "outcome" | "provider" | "instance" | "user" | "reason" | "since" | "until"
>;

/** Whether a sign-in matches all filters that are given. */
export function isFlowMatch(flow: Flow, filter: FlowFilter): boolean {
  const { result, error, outcome, provider, instance, user, reason, since, until } = filter;
  return (
    (result === undefined || flow.result === result) &&
    (error === undefined || flow.error === error) &&
    (outcome === undefined || flow.requested_outcome === outcome) &&
    (provider === undefined || flow.provider === provider) &&
    (instance === undefined || flow.instance === instance) &&
    (since === undefined || flow.started_at >= since) &&
    (until === undefined || flow.started_at < until) &&
    (reason === undefined || (flow.reason !== null && fold(flow.reason).includes(fold(reason)))) &&
    (user === undefined || isOfPerson(flow, user))
  );
}

import { fold } from "../text/fold.ts";
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

/** What names a person in the messages of a sign-in: chosen, hinted, or returned by the provider. */
const NAMES: ReadonlySet<string> = new Set(["account", "email", "login", "login_hint", "name", "username"]);
const IDS: ReadonlySet<string> = new Set(["id", "sub", "user_id"]);

/**
 * Whether a sign-in is a person's, also if it failed before it had a user. A name, a login or an e-mail address matches
 * if it contains every word of the text, an id if it begins with it. Letter case makes no difference.
 */
export function isOfPerson({ as, user_id, steps }: Pick<Flow, "as" | "user_id" | "steps">, text: string): boolean {
  const wanted = fold(text.trim());
  const words = wanted.split(/\s+/);
  const isName = (value: unknown): boolean =>
    typeof value === "string" && words.every((word) => fold(value).includes(word));
  const isId = (value: unknown): boolean =>
    (typeof value === "string" || typeof value === "number") && fold(String(value)).startsWith(wanted);
  if (isName(as) || isId(user_id)) return true;
  return steps.some(({ sent, answered }) =>
    [sent, answered].some((message) =>
      Object.entries(message ?? {}).some(([path, value]) => {
        // A field of a list's entry, or of a message in the message, has the path `0.email` or `data.username`.
        const name = path.slice(path.lastIndexOf(".") + 1);
        return (NAMES.has(name) && isName(value)) || (IDS.has(name) && isId(value));
      }),
    ),
  );
}

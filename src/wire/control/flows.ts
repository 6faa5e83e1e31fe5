import { fold } from "../../text/fold.ts";
import type { AnswerOf, QueryOf } from "./types.ts";
import { providerTitle } from "../providers.ts";
import { STATE_LIFETIME_SECONDS } from "../redirect-uri.ts";
import { urlFrom } from "../../http/address.ts";

type Flow = Omit<AnswerOf<"GET /flows">[number]["data"], "process">;
type Query = NonNullable<QueryOf<"GET /flows/summary">>;

const STATE_LIFETIME_MS = STATE_LIFETIME_SECONDS * 1000;

/**
 * How a sign-in ended. One that has not ended is abandoned once its state has expired (spec, "OAuth state record").
 * @param now the service's time, in milliseconds since 1970
 */
export function resultOf({ result, started_at }: Pick<Flow, "result" | "started_at">, now = 0): Flow["result"] {
  return result === "open" && now >= Date.parse(started_at) + STATE_LIFETIME_MS ? "abandoned" : result;
}

/** What sign-ins are filtered by, with the instance's id and times in ISO 8601. */
export type FlowFilter = Pick<
  Query,
  | "result"
  | "error"
  | "asked_by"
  | "outcome"
  | "provider"
  | "instance"
  | "user"
  | "reason"
  | "browser"
  | "since"
  | "until"
> & {
  /** The service's time, in milliseconds since 1970. Without it, `result` is the one that was recorded. */
  readonly now?: number | undefined;
  /** The users whose id `user` is. */
  readonly people?: readonly Person[] | undefined;
};

export function isFlowMatch(flow: Flow, filter: FlowFilter): boolean {
  const { result, error, asked_by, outcome, provider, instance, user, people, reason, browser, since, until } = filter;
  return (
    (result === undefined || resultOf(flow, filter.now) === result) &&
    (asked_by === undefined ||
      (asked_by === "any" ? flow.asked_by !== null : (flow.asked_by ?? "none") === asked_by)) &&
    (error === undefined || flow.error === error) &&
    (outcome === undefined || flow.requested_outcome === outcome) &&
    (provider === undefined || flow.provider === provider) &&
    (instance === undefined || flow.instance === instance) &&
    (browser === undefined || flow.browser === browser) &&
    (since === undefined || flow.started_at >= since) &&
    (until === undefined || flow.started_at < until) &&
    (reason === undefined || (flow.reason !== null && fold(flow.reason).includes(fold(reason)))) &&
    (user === undefined || isOfPerson(flow, user) || people?.some((person) => isSignInOf(flow, person)) === true)
  );
}

type Request = AnswerOf<"GET /requests">[number]["data"];

/** What requests are filtered by, with the instance's subdomain and times in ISO 8601. */
type RequestFilter = Pick<
  NonNullable<QueryOf<"GET /requests">>,
  "flow" | "method" | "status" | "path" | "instance" | "since" | "until"
>;

export function isRequestMatch(request: Omit<Request, "process">, filter: RequestFilter): boolean {
  const { flow, method, status, path, instance, since, until } = filter;
  return (
    (flow === undefined || request.flow_id === flow) &&
    (method === undefined || request.method === method) &&
    (status === undefined || isStatus(request, status)) &&
    (path === undefined || request.path.includes(path)) &&
    (instance === undefined || request.instance === instance) &&
    (since === undefined || request.at >= since) &&
    (until === undefined || request.at < until)
  );
}

function isStatus({ status, reason }: Pick<Request, "status" | "reason">, wanted: string): boolean {
  if (wanted === "failed") return status >= 400 || reason !== null;
  return String(status).startsWith(wanted.replace("xx", ""));
}

/** What names a person in the messages of a sign-in: chosen, hinted, or returned by the provider. */
const NAMES: ReadonlySet<string> = new Set(["account", "email", "login", "login_hint", "name", "username"]);
const IDS: ReadonlySet<string> = new Set(["id", "sub", "user_id"]);

/**
 * Whether a sign-in is a person's, also if it failed before it had a user. A name, a login or an e-mail address matches
 * if it contains every word of the text, an id if it begins with it. Letter case makes no difference.
 */
function isOfPerson({ as, user_id, steps }: Pick<Flow, "as" | "user_id" | "steps">, text: string): boolean {
  const wanted = fold(text.trim());
  const words = wanted.split(/\s+/);
  const isName = (value: unknown): boolean =>
    typeof value === "string" && words.every((word) => fold(value).includes(word));
  const isId = (value: unknown): boolean =>
    (typeof value === "string" || typeof value === "number") && fold(String(value)).startsWith(wanted);
  if (isName(as) || isId(user_id)) return true;
  return named(steps).some(([name, value]) => (NAMES.has(name) && isName(value)) || (IDS.has(name) && isId(value)));
}

/** A user, as sign-ins name people. */
export interface Person {
  readonly id: string;
  readonly instance: string;
  readonly email: string;
  readonly identities: readonly {
    readonly provider: string;
    readonly uid: string;
    readonly email: string | null;
  }[];
}

/** Who a user of the control API is in sign-ins. */
export function personOf({ id, data }: AnswerOf<"GET /users/:id">): Person {
  return { id, instance: data.instance, email: data.email, identities: data.identities ?? [] };
}

/** Whether a sign-in is a user's: by its id, or before there is one, by the user's addresses and provider accounts. */
export function isSignInOf(flow: Omit<Flow, "process">, person: Person): boolean {
  const { instance, provider, user_id, as, steps } = flow;
  if (instance !== person.instance) return false;
  if (user_id !== null) return user_id === person.id;
  const addresses = new Set([person.email, ...person.identities.map(({ email }) => email ?? "")].map(fold));
  const uids = new Set(person.identities.filter((one) => one.provider === provider).map(({ uid }) => uid));
  if (addresses.has(fold(as ?? ""))) return true;
  return named(steps).some(
    ([name, value]) =>
      (NAMES.has(name) && addresses.has(fold(String(value)))) || (IDS.has(name) && uids.has(String(value))),
  );
}

/** The fields of the messages, without the path to them: of a list's entry, or of a message in the message. */
function named(steps: Flow["steps"]): [name: string, value: unknown][] {
  return steps
    .flatMap(({ sent, answered }) => [sent, answered])
    .flatMap((message) => Object.entries(message ?? {}))
    .map(([path, value]) => [path.slice(path.lastIndexOf(".") + 1), value]);
}

/** Who a sign-in is of, as people call them: the name that the provider has, or the account. */
export function accountOf({ as, steps }: Pick<Flow, "as" | "steps">): string {
  const name = steps.findLast(({ answered }) => typeof answered?.["name"] === "string")?.answered?.["name"];
  return typeof name === "string" && name !== "" ? name : (as ?? "");
}

export type Step = AnswerOf<"GET /flows">[number]["data"]["steps"][number];

/** What happened in a step, in one line. Empty if the step's name is enough. */
export function stepInWords({ name, sent, answered }: Pick<Step, "name" | "sent" | "answered">): string {
  const { url, method, redirect_uri } = sent ?? {};
  const provider = sent?.["provider"] === undefined ? undefined : providerTitle(String(sent["provider"]));
  const { status, error, outcome, account, result, user_id, message } = answered ?? {};
  switch (name) {
    case "begin":
      return [`with ${provider ?? "?"}`, redirect_uri && `back to ${redirect_uri}`].filter(Boolean).join(", ");
    case "provider":
      return [
        account && `${account} signs in`,
        message && `shows ${message}`,
        outcome && outcome !== "success" && `outcome ${outcome}`,
      ]
        .filter(Boolean)
        .join(", ");
    case "callback":
      return `${provider ?? "the provider"} sends the browser back${sent?.["error"] === undefined ? "" : ` with error=${sent["error"]}`}`;
    case "redirect":
      if (result === "token")
        return `back to the application with a token for ${answered?.["new_user"] === true ? "the new user" : "user"} ${user_id}`;
      return error === undefined ? "back to the application" : `back to the application with error=${error}`;
  }
  if (url === undefined) return "";
  const place = urlFrom(String(url))?.pathname ?? String(url);
  const answer = status === undefined ? "no answer" : `${status}${error === undefined ? "" : `, error ${error}`}`;
  return `${method ?? "GET"} ${place} → ${answer}`;
}

/** A sign-in as Markdown for an issue. Its texts are in a block of code, where nothing in them is Markdown. */
export function flowMarkdown({ id, data }: AnswerOf<"GET /flows">[number], instance: string): string {
  const lines = [
    `sign-in   ${id}, ${data.started_at}`,
    `with      ${providerTitle(data.provider ?? "?")}, instance ${instance || "?"}`,
    `account   ${data.as ?? "not chosen"}`,
    `result    ${{ token: "signed in", open: "in progress", abandoned: "abandoned", error: data.error ?? "failed" }[data.result]}`,
    ...(data.reason === null ? [] : [`reason    ${data.reason}`]),
    "",
    ...data.steps.flatMap((step) => [
      `${step.at.slice(11, 23)}  ${step.name.padEnd(10)}${stepInWords(step)}`,
      ...fields(">", step.sent),
      ...fields("<", step.answered),
      ...(step.reason === null ? [] : [`  failed here: ${step.reason}`]),
    ]),
  ].map((line) => line.replaceAll(/[\r\n\u2028\u2029]+/g, " "));
  const longest = Math.max(2, ...(lines.join("\n").match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${lines.join("\n")}\n${fence}\n`;
}

function fields(mark: string, message: AnswerOf<"GET /flows">[number]["data"]["steps"][number]["sent"]): string[] {
  return Object.entries(message ?? {}).map(([name, value]) => `  ${mark} ${name}: ${value}`);
}

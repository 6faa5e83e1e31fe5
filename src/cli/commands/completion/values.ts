import type { Argument, Option } from "commander";
import type { Client } from "../../../client/client.ts";
import type { Page } from "../../../wire/http/request.ts";
import { PROVIDERS, SESSION_PROVIDERS } from "../../../wire/providers.ts";
import { openTarget } from "../../connection/client.ts";
import { knownSubdomains } from "../../connection/running-server.ts";
import { resolveTarget } from "../../connection/target.ts";
import type { Context } from "../../context.ts";
import { listProfiles } from "../../credentials/profiles.ts";
import { commandPath } from "../../help/command-map.ts";
import type { Place } from "../../help/place.ts";
import { columnNames } from "../../list/flags.ts";
import { FORMATS } from "../../output/flags.ts";
import type { Records } from "../record-commands.ts";
import { FILES, searchedBy, termsFor, type Candidate } from "./line.ts";

type Values = (
  context: Context,
  current: string,
  place: Place,
) => Promise<readonly (string | Candidate)[]> | readonly (string | Candidate)[];

/** The users whose id begins so, newest first, and with `byEmail` those whose address does. */
const usersBy =
  (byEmail: boolean): Values =>
  (context, begun, place) =>
    asked(context, place, async ({ users }) => {
      const byId = await beginning(begun, /^[0-9a-f-]+$/, "id", users);
      const named = byEmail && begun !== "" ? await beginning(begun, /^[\w.@+]+$/, "email", users) : [];
      return [
        ...byId.map(({ id, data }) => ({ value: id, description: data.email })),
        ...named.map(({ data }) => ({ value: data.email, description: data.name })),
      ];
    });
const userIds = usersBy(false);
const usersByEmail = usersBy(true);
/** The sessions whose `session_id` begins so, latest first. */
const sessionIds: Values = (context, begun, place) =>
  asked(context, place, async ({ sessions }) => {
    const found = await beginning(begun, /^[\w-]+$/, "session_id", sessions);
    return found.map(({ data }) => ({ value: data.session_id, description: `${data.email}, ${data.provider}` }));
  });
const terms: Values = (_, current, place) => termsFor(searchedBy(place) ?? {}, current);

/** The possible values of options and arguments for which the command has no choices. */
const VALUES: Readonly<Record<string, Values>> = {
  "--profile": listProfiles,
  "--instance": knownSubdomains,
  "users search --provider": () => PROVIDERS,
  "sessions search --provider": () => SESSION_PROVIDERS,
  "--output": () => FORMATS,
  "--sort": (_, current, { command }) =>
    columnNames(command).map((name) => (current.startsWith("-") ? `-${name}` : name)),
  "--fields": (_, current, { command }) => listed(current, columnNames(command)),
  "--query": terms,
  "--not": terms,
  "--user": usersByEmail,
  "sessions search --user": userIds,
  "users list --after": userIds,
  "users search --after": userIds,
  "sessions list --after": sessionIds,
  "sessions search --after": sessionIds,
  "users get user": usersByEmail,
  "users delete user": usersByEmail,
  "dev users update user": usersByEmail,
  session_id: sessionIds,
  instance: knownSubdomains,
  "profiles use name": listProfiles,
  "profiles remove name": listProfiles,
  "api method": () => ["GET", "POST", "DELETE"],
  "api path": () => [
    "/api/v1/users",
    "/api/v1/users/search",
    "/api/v1/sessions",
    "/api/v1/sessions/search",
    "/api/v1/instances/search",
    "/api/v1/tokens/verify",
    "/.well-known/openid-configuration",
  ],
};

/** The possible values of an option or an argument. Empty if they are not known. */
export async function valuesOf(
  context: Context,
  taker: Option | Argument,
  current: string,
  place: Place,
): Promise<readonly Candidate[]> {
  if (taker.argChoices) return taker.argChoices.map((value) => ({ value }));
  const name = "long" in taker ? (taker.long ?? "") : taker.name();
  const path = commandPath(place.command).replace("svc ", "");
  const values = VALUES[`${path} ${name}`] ?? VALUES[name];
  if (!values) return "flags" in taker && /[<[](?:file|path|directory)/.test(taker.flags) ? FILES : [];
  // A failure must not disturb the typing.
  const found = await (async () => values(context, current, place))().catch(() => []);
  return found.map((value) => (typeof value === "string" ? { value } : value));
}

/** The next name of a list with commas, without those that it has. */
function listed(current: string, names: readonly string[]): string[] {
  const begun = current.split(",").slice(0, -1);
  return names.filter((name) => !begun.includes(name)).map((name) => [...begun, name].join(","));
}

/** A person does not wait longer for a completion. */
const WITHIN_SECONDS = "1";
/** More than these are not looked through. */
const PAGE: Page = { limit: 30 };

async function beginning<Row>(
  begun: string,
  form: RegExp,
  field: string,
  rows: ReturnType<Records<Row>["of"]>,
): Promise<Row[]> {
  if (begun === "") return rows.list(PAGE);
  return form.test(begun) ? rows.search(`${field}:${begun}*`, PAGE) : [];
}

/**
 * Asks the service that the line, the environment or the directory names: once, shortly, and without a word. A keyring or
 * a password manager might ask its owner, so only a key that is at hand is used.
 */
async function asked(
  context: Context,
  place: Place,
  ask: (client: Client) => Promise<readonly Candidate[]>,
): Promise<readonly Candidate[]> {
  const env = { ...context.env, SVC_TIMEOUT: WITHIN_SECONDS, SVC_RETRIES: "0", SVC_WAIT: "", SVC_LOG: "" };
  const quiet: Context = { ...context, env, stderr: { write: () => true, isTTY: false } };
  const target = await resolveTarget(quiet, place.given);
  if (typeof target.secret_key?.value !== "string") return [];
  const found = await ask(await openTarget(quiet, target));
  // What begins with a hyphen would be an option.
  return found.filter(({ value }) => !value.startsWith("-"));
}

import type { Argument, Option } from "commander";
import { PROVIDERS, SESSION_PROVIDERS } from "../../../wire/providers.ts";
import { knownSubdomains } from "../../connection/running-server.ts";
import type { Context } from "../../context.ts";
import { listProfiles } from "../../credentials/profiles.ts";
import { commandPath } from "../../help/command-map.ts";
import type { Place } from "../../help/place.ts";
import { columnNames } from "../../list/flags.ts";
import { FORMATS } from "../../output/flags.ts";
import { FILES, searchedBy, termsFor, type Candidate } from "./line.ts";

type Values = (
  context: Context,
  current: string,
  place: Place,
) => Promise<readonly (string | Candidate)[]> | readonly (string | Candidate)[];

const terms: Values = (_, current, place) => termsFor(searchedBy(place) ?? {}, current);

/** The possible values of options and arguments for which the command has no choices. */
const VALUES: Readonly<Record<string, Values>> = {
  "--profile": listProfiles,
  "--instance": knownSubdomains,
  "users search --provider": () => PROVIDERS,
  "sessions search --provider": () => SESSION_PROVIDERS,
  "--output": () => FORMATS,
  "--fields": (_, current, { command }) => listed(current, columnNames(command)),
  "--query": terms,
  instance: knownSubdomains,
  "profiles use name": listProfiles,
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

import type { Command } from "commander";
import { SESSION_FIELDS, USER_FIELDS, type Fields } from "../../wire/search/fields.ts";
import { enumerated } from "../../wire/text/suggestion.ts";
import { PROVIDERS, SESSION_PROVIDERS } from "../../wire/providers.ts";
import { UsageError } from "../errors.ts";
import { moment } from "../quantities.ts";
import { collect } from "../command.ts";
import { longestWord, checkedDomain, checkedEmail, checkedIp, checkedUserId } from "./flag-values.ts";

export interface Searched {
  readonly noun: "users" | "sessions";
  readonly fields: Fields;
  readonly flags: readonly SearchFlag[];
  /** An example, for the error if there is no search. */
  readonly example: string;
}

/** A flag that means a term. */
export interface SearchFlag {
  readonly name: string;
  /** What it takes; without one it is a switch. */
  readonly argument?: string;
  readonly what: string;
  /** What its term begins with on the wire; of a switch all of it. */
  readonly term: string;
  /** The rest of the term, unless it is a switch. @throws {UsageError} for a value that can match nothing */
  readonly value?: (text: string, now: Date) => string;
  /** Whether a value may have spaces. */
  readonly takesWords?: true;
}

/** Flags and terms of a search, as commander leaves them. */
export interface SearchFlags {
  readonly query?: readonly string[];
  readonly limit?: string;
  readonly name?: readonly string[];
  readonly [flag: string]: unknown;
}

const EMAIL: SearchFlag = {
  name: "--email",
  argument: "<address>",
  what: "with this e-mail address",
  term: "email:",
  value: checkedEmail,
};
const DOMAIN: SearchFlag = {
  name: "--email-domain",
  argument: "<domain>",
  what: "with an address of this domain",
  term: "email:*@",
  value: checkedDomain,
};
const NAME: SearchFlag = {
  name: "--name",
  argument: "<text>",
  what: "with a name that contains this; of several words all, in any order",
  term: "name:",
  value: (text) => (text.includes("*") ? text : `*${longestWord(text)}*`),
  takesWords: true,
};

export const USERS: Searched = {
  noun: "users",
  fields: USER_FIELDS,
  flags: [
    EMAIL,
    DOMAIN,
    NAME,
    provider("who can sign in", PROVIDERS),
    ...times("created_at", "created"),
    { name: "--unverified", what: "without a verified e-mail address", term: "email_verified_at:null" },
  ],
  example: "svc users search 'email:*@acme.test'",
};

export const SESSIONS: Searched = {
  noun: "sessions",
  fields: SESSION_FIELDS,
  flags: [
    EMAIL,
    DOMAIN,
    NAME,
    provider("", SESSION_PROVIDERS),
    {
      name: "--ip",
      argument: "<address>",
      what: "from this IP address or network, such as 203.0.113.0/24",
      term: "ip_address:",
      value: checkedIp,
    },
    { name: "--user", argument: "<id>", what: "of this user", term: "user_id:", value: checkedUserId },
    ...times("last_signin_at", "last signed in"),
    { name: "--active", what: "not revoked", term: "revoked_at:null" },
    { name: "--revoked", what: "revoked", term: "-revoked_at:null" },
  ],
  example: "svc sessions search provider:github",
};

/** The terms and flags of a search. */
export function addSearchFlags(command: Command, { flags, noun }: Searched): Command {
  const example = noun === "users" ? "'created_at>=2026-01-01'" : "-provider:github";
  command.argument("[term...]", `such as 'email:*@acme.test' ${example}`);
  for (const { name, argument, what } of flags)
    if (argument) command.option(`${name} ${argument}`, what, collect);
    else command.option(name, what);
  // Both together would find nothing, without saying why.
  command.options.find(({ long }) => long === "--active")?.conflicts("revoked");
  return command;
}

function provider(who: string, names: readonly string[]): SearchFlag {
  return {
    name: "--provider",
    argument: "<name>",
    what: `${who} through ${enumerated(names, "or")}`.trim(),
    term: "provider:",
    value(text) {
      if (names.includes(text.toLowerCase())) return text;
      throw new UsageError(`--provider: unknown provider "${text}".`, `Use one of ${names.join(", ")}.`);
    },
  };
}

function times(field: string, what: string): SearchFlag[] {
  const bound = (name: string, sign: ">=" | "<", words: string): SearchFlag => ({
    name,
    argument: "<time>",
    takesWords: true,
    what: `${what} ${words}`,
    term: `${field}${sign}`,
    value: (text, now) => moment(name, text, now),
  });
  return [
    bound("--since", ">=", "since then: 2026-01-31, 2026-01, yesterday, or 7d, 1y, 12h ago"),
    bound("--until", "<", "until then, that day or month included"),
  ];
}

import type { Command } from "commander";
import { SESSION_FIELDS, USER_FIELDS, type Fields } from "../../wire/search/fields.ts";
import { enumerated } from "../../wire/text/suggestion.ts";
import { PROVIDERS, SESSION_PROVIDERS } from "../../wire/providers.ts";
import type { Term } from "../../wire/search/query.ts";
import { UsageError } from "../errors.ts";
import { ipNetwork } from "../ip-network.ts";
import { moment } from "../quantities.ts";
import { collect } from "../command.ts";
import {
  hasWords,
  isInNetwork,
  longestWord,
  type Finer,
  checkedDomain,
  checkEmail,
  checkIp,
  checkUserId,
  isLike,
} from "./flag-values.ts";

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
  /** The term on the wire. */
  write(value: string, now: Date): string;
  /** The value with which the flag means this term, if it can. */
  read(term: Term): string | undefined;
  /** For values that no term can say: their term finds more. */
  readonly finer?: Finer;
}

/** Flags and terms of a search, as commander leaves them. */
export interface SearchFlags {
  readonly not?: readonly string[];
  readonly query?: readonly string[];
  readonly queryFile?: string;
  readonly [flag: string]: unknown;
}

const EMAIL = text("--email", "<address>", "with this e-mail address", "email", checkEmail);
const DOMAIN: SearchFlag = {
  name: "--email-domain",
  argument: "<domain>",
  what: "with an address of this domain",
  write: (value) => `email:*@${checkedDomain(value.replace(/^@/, ""))}`,
  read: ({ field, operator, value, negated }) =>
    !negated && field === "email" && operator === "ends" && /^@[^@*]+$/.test(value) ? value.slice(1) : undefined,
};
const NAME: SearchFlag = {
  name: "--name",
  argument: "<text>",
  what: "with a name that contains this; of several words all, in any order",
  write: (value) => (value.includes("*") ? `name:${value}` : `name:*${longestWord(value)}*`),
  read: ({ field, operator, value, negated }) =>
    !negated && field === "name" && operator === "contains" && value !== "" && !value.includes("*") ? value : undefined,
  finer: hasWords,
};
const IP: SearchFlag = {
  ...text(
    "--ip",
    "<address>",
    "from this IP address or network, such as 10.0.0.0/8",
    "ip_address",
    checkIp,
    (value) => {
      const network = ipNetwork(value);
      return network ? `${network.prefix}${network.isOne ? "" : "*"}` : value;
    },
  ),
  finer: isInNetwork,
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
    empty("--unverified", "without a verified e-mail address", "email_verified_at", true),
    empty("--verified", "with a verified e-mail address", "email_verified_at", false),
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
    IP,
    text("--user", "<id>", "of this user", "user_id", checkUserId),
    ...times("last_signin_at", "last signed in"),
    empty("--active", "not revoked", "revoked_at", true),
    empty("--revoked", "revoked", "revoked_at", false),
  ],
  example: "svc sessions search provider:github",
};

/** The terms and flags of a search. */
export function addSearchFlags(command: Command, { flags, noun }: Searched): Command {
  const example = noun === "users" ? "created_at.gte=2026-01-01" : "-provider:github";
  command.argument("[term...]", `such as 'email:*@acme.test' ${example}`);
  for (const { name, argument, what } of flags)
    if (argument) command.option(`${name} ${argument}`, what, collect);
    else command.option(name, what);
  // Both together would find nothing, without saying why.
  for (const [one, other] of [
    ["--verified", "unverified"],
    ["--active", "revoked"],
  ] as const)
    command.options.find(({ long }) => long === one)?.conflicts(other);
  // What -term is rewritten to.
  return addQueryFlags(command).option("--not <term>", "exclude what matches, as -term does; can be repeated", collect);
}

/** A whole query, past the shell. */
export function addQueryFlags(command: Command): Command {
  return command
    .option("--query <query>", "a whole query in one argument", collect)
    .option("--query-file <file>", "read the query from a file; - reads standard input");
}

/**
 * @param check the error for a value that can match nothing; as a term it can be sent all the same
 * @param written the value as it is written in the term
 */
function text(
  name: string,
  argument: string,
  what: string,
  own: string,
  check: (value: string) => UsageError | undefined,
  written = (value: string): string => value,
): SearchFlag {
  return {
    name,
    argument,
    what,
    write(value) {
      const fault = check(value);
      if (fault) throw fault;
      return `${own}:${written(value)}`;
    },
    read: ({ field, operator, value, negated }) =>
      field === own && operator === "is" && !negated && !check(value) ? value : undefined,
  };
}

function provider(who: string, names: readonly string[]): SearchFlag {
  const check = (value: string): UsageError | undefined =>
    names.some((name) => isLike(name, value.toLowerCase()))
      ? undefined
      : new UsageError(`--provider: unknown provider "${value}".`, `Use one of ${names.join(", ")}.`);
  return text("--provider", "<name>", `${who} through ${enumerated(names, "or")}`.trim(), "provider", check);
}

function times(own: string, what: string): SearchFlag[] {
  const bound = (name: string, operator: ">=" | "<", words: string): SearchFlag => ({
    name,
    argument: "<time>",
    what: `${what} ${words}: 2026-01-31, or 7d, 12h, 30m ago`,
    write: (value, now) => `${own}${operator}${moment(name, value, now)}`,
    read: (term) => (term.field === own && term.operator === operator ? term.value : undefined),
  });
  return [bound("--since", ">=", "since then"), bound("--until", "<", "before")];
}

function empty(name: string, what: string, own: string, isEmpty: boolean): SearchFlag {
  return {
    name,
    what,
    write: () => `${isEmpty ? "" : "-"}${own}:null`,
    read: ({ field, operator, negated }) =>
      field === own && operator === "null" && negated !== isEmpty ? "" : undefined,
  };
}

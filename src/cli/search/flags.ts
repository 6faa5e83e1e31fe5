import { isIP, SocketAddress } from "node:net";
import type { Command } from "commander";
import { isUuid } from "../../wire/ids.ts";
import { normalizeEmail, storedForm } from "../../text/email.ts";
import { SESSION_FIELDS, USER_FIELDS, type Fields } from "../../wire/search/fields.ts";
import { enumerated } from "../../text/suggestion.ts";
import { PROVIDERS, SESSION_PROVIDERS } from "../../wire/providers.ts";
import { UsageError } from "../errors.ts";
import { quoted } from "../output/text.ts";
import { moment } from "../quantities.ts";
import { collect } from "../command.ts";

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
  readonly user?: readonly string[];
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
    {
      name: "--user",
      argument: "<user>",
      what: "of this user: an id, or the present e-mail address",
      term: "user_id:",
      value: checkedUserId,
    },
    ...times("last_signin_at", "last signed in"),
    { name: "--active", what: "not revoked", term: "revoked_at:null" },
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

/** An address as it is pasted: ` Ada <ada@acme.test> ` or `mailto:ada@acme.test?subject=x`. Anything else is only trimmed. */
export function pastedAddress(text: string): string {
  const [, inside = text] = /^[^<>]*<([^<>]+@[^<>]+)>\s*$/.exec(text) ?? [];
  const [, address = inside] = /^\s*mailto:([^?]+)/i.exec(inside) ?? [];
  return address.trim();
}

function checkedUserId(id: string): string {
  if (/^\*?[0-9a-f-]*\*$|^\*[0-9a-f-]*$/i.test(id) || isUuid(id.toLowerCase())) return id;
  throw new UsageError(
    `--user: "${id}" is not a user id or e-mail address.`,
    `Find it with: svc users search --name ${quoted(id)}`,
  );
}

function checkedEmail(text: string): string {
  const value = pastedAddress(text);
  if (value.includes("*") || normalizeEmail(value) !== undefined) return value;
  throw new UsageError(
    `--email: "${value}" is not an e-mail address.`,
    `To find a part of one: --email ${quoted(`*${value}*`)}`,
  );
}

function checkedDomain(text: string): string {
  const domain = text.replace(/^@/, "");
  const stored = normalizeEmail(`a@${domain}`)?.slice("a@".length);
  const value = stored ?? domain;
  if (stored !== undefined && (value.includes(".") || value === "localhost")) return value;
  const [, below] = /^\*?\.(.+)$/.exec(storedForm(`@${value}`).slice("@".length)) ?? [];
  throw new UsageError(
    `--email-domain: "${value}" is not a whole domain, such as acme.test.`,
    below === undefined
      ? `To find a part of an address: --email ${quoted(`*${value.replaceAll("*", "")}*`)}`
      : `For the domains below it: --email ${quoted(`*.${below}`)}`,
  );
}

/** An address as a service writes it, or what the addresses of a network begin with. */
function checkedIp(text: string): string {
  // An IPv4 address as IPv6 sockets have it (RFC 4291, 2.5.5.2).
  const value = text.replace(/^::ffff:(?=\d+\.)/i, "");
  const [, first, second, third, length] = /^(\d+)\.(\d+)\.(\d+)\.\d+\/(8|16|24)$/.exec(value) ?? [];
  const begin = [first, second, third].slice(0, Number(length ?? 0) / 8).join(".");
  if (begin !== "" && isIP(value.split("/")[0]!)) return `${begin}.*`;
  if (isIP(value) === 6 && !value.includes("%")) return new SocketAddress({ address: value, family: "ipv6" }).address;
  if (isIP(value) === 4 || /^\*?[0-9a-f.:]*\*$|^\*[0-9a-f.:]*$/i.test(value)) return value;
  throw new UsageError(
    `--ip: "${value}" is neither an IP address nor a network that ends at a dot.`,
    "Write 203.0.113.7, 203.0.113.0/24, or the start of an address, as of an IPv6 network: '203.0.*', '2001:db8:*'",
  );
}

/** A value has no space: of several words the longest is asked for, which the fewest names have. */
function longestWord(text: string): string {
  return wordsOf(text).reduce((longest, word) => (word.length > longest.length ? word : longest), "");
}

export function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}

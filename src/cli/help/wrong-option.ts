import type { Command } from "commander";
import { isUuid } from "../../wire/ids.ts";
import { asTerms } from "../../wire/search/query-words.ts";
import { commandPath } from "../command-names.ts";
import { quoted } from "../output/text.ts";
import { MISSING_OPTIONS, rowFor } from "./guesses.ts";
import { childOf, optionsOf, type Place } from "./tree.ts";

/** What a query is called, here and elsewhere. */
const QUERY = /^(?:--query|--filter|--where|--search|--selector|-q|-l)$/;
/** A search's own flags and terms, which lists and deletions do not have. */
const OF_SEARCHES = /^--(?:query|email|email-domain|name|provider|since|until|ip|user|active|unverified)$|^-\w+[:<>]/;
export const TAKES_VALUE = /^--(?:email|email-domain|name|provider|since|until|ip|user|id)$/;

/** What to use in place of an option that a command does not have: the first row whose values were typed. */
const ELSEWHERE: readonly (readonly [commands: RegExp, options: RegExp, instead: string])[] = [
  [/^users (?:get|delete)$/, /^--(?:email|user|id)$/, "Use: svc <path> <user>"],
  [/^dev users create$/, /^--email$/, "The address is an argument: svc dev users create <user>"],
  [/^users delete$/, /^--all$/, "Name them: ids, --file or --query."],
  [/^users delete$/, OF_SEARCHES, "Use: svc users delete --query <query> --dry-run"],
  [/^users delete$/, OF_SEARCHES, "Use: svc <noun> search <search> --fields id | svc users delete - --dry-run"],
  [/^(?:users|sessions)/, OF_SEARCHES, "Use: svc <noun> search <search>"],
  [/^sign-in$/, OF_SEARCHES, "Use --as."],
  [/^logs$/, /^--(?:email|name)$/, "Use --user."],
  [/^logs$/, OF_SEARCHES, "It takes --user, --failed, --flow and --since."],
];

/** @returns undefined if nothing here does the same. What is suggested never finds more than what was typed */
export function hintForOption(option: string, argv: readonly string[], { command, operands }: Place) {
  const path = commandPath(command).split(" ").slice(1).join(" ");
  const asked = QUERY.test(option) && /^(?:users|sessions|logs)/.test(path) ? "--query" : option;
  const values = valuesOf(path, command, searchIn(path, argv, operands));
  for (const [commands, options, instead] of ELSEWHERE) {
    const wanted = instead.match(/<\w+>/g) ?? [];
    if (commands.test(path) && options.test(asked) && wanted.every((name) => values[name] !== undefined))
      return wanted.reduce((text, name) => text.replace(name, () => values[name]!), instead);
  }
  const hint = rowFor(MISSING_OPTIONS, option);
  // A command without this option may not have the other one either.
  const [named] = /--[\w-]+/.exec(hint?.split("svc ")[0] ?? "") ?? [];
  return named === undefined || optionsOf(command).some(({ long }) => long === named) ? hint : undefined;
}

/** A flag of a search with its value, or terms alone. */
type Part = readonly [flag: string | undefined, text: string];

function valuesOf(
  path: string,
  command: Command,
  parts: readonly Part[],
): Readonly<Record<string, string | undefined>> {
  const [[flag, text] = [undefined, ""], ...others] = parts;
  const isUser = flag !== undefined && others.length === 0 && (isMailAddress(text) || isUuid(text));
  const isOfTerms =
    parts.length > 0 && parts.every((part) => part[0] === undefined && part[1].split(" ").every(isTerm));
  // An id beside a search is no search.
  const isSearch =
    path !== "users delete" || parts.every(([name, value]) => name !== undefined || value.split(" ").every(isTerm));
  const noun = isSearch ? nounFor(path, command, parts) : undefined;
  return {
    "<path>": path,
    "<user>": isUser ? quoted(text) : undefined,
    "<query>": isOfTerms ? quoted(parts.map((part) => part[1]).join(" ")) : undefined,
    "<noun>": noun,
    "<search>": parts
      .map(([name, value]) => [...(name ? [name] : []), ...(value ? [quoted(value)] : [])].join(" "))
      .join(" "),
  };
}

/** The noun whose search has all of these flags. A deletion is of its own alone. */
function nounFor(path: string, command: Command, parts: readonly Part[]): string | undefined {
  const [own = ""] = path.split(" ");
  if (own !== "users" && own !== "sessions") return undefined;
  const other = own === "users" ? "sessions" : "users";
  return (path === "users delete" ? [own] : [own, other]).find((noun) => {
    const search = childOf(childOf(rootOf(command), noun)!, "search")!;
    const known = optionsOf(search).map(({ long }) => long);
    return parts.every(([flag]) => flag === undefined || known.includes(flag));
  });
}

function rootOf(command: Command): Command {
  return command.parent ? rootOf(command.parent) : command;
}

export function isMailAddress(word: string): boolean {
  return /^[^\s@:=<>*]+@[^\s@:=<>*]+$/.test(word);
}

function isTerm(word: string): boolean {
  return /^-?\w+(?::|[<>]=?)\S/.test(word);
}

/** What finds a word: an address, a part of a name, or terms as they are. */
export function asSearch(path: string, word: string): string {
  const [flag, text] = partOf(path, word);
  return flag ? `${flag} ${quoted(text)}` : quoted(text);
}

function partOf(path: string, word: string): Part {
  const terms = asTerms(word);
  if (/[:<>]/.test(terms)) return [undefined, terms];
  return [!word.includes("@") ? "--name" : path.startsWith("sessions") ? "--user" : "--email", word];
}

/** The flags, their values and the terms of a line that are a search. */
function searchIn(path: string, argv: readonly string[], operands: readonly string[]): Part[] {
  return argv.flatMap((word, i): Part[] => {
    const [, flag = word, value] = /^(--?[\w-]+)=(.*)$/s.exec(word) ?? [];
    const before = argv[i - 1] ?? "";
    if (QUERY.test(before)) return [partOf(path, word)];
    if (QUERY.test(flag)) return value === undefined ? [] : [partOf(path, value)];
    if (TAKES_VALUE.test(before)) return [[before, word]];
    if (TAKES_VALUE.test(flag)) return value === undefined ? [] : [[flag, value]];
    if (/^-\w+[:<>]/.test(word) || operands.includes(word)) return [[undefined, word]];
    return OF_SEARCHES.test(word) ? [[word, ""]] : [];
  });
}

import type { Command } from "commander";
import type { Program } from "../command.ts";
import { meantOutcome } from "../../wire/outcomes.ts";
import { asSentence } from "../../wire/search/query-words.ts";
import { closest, enumerated } from "../../text/suggestion.ts";
import { UsageError } from "../errors.ts";
import { quoted } from "../output/text.ts";
import { commandPath } from "../command-names.ts";
import { optionsOf, subcommands, walk, type Place } from "./tree.ts";
import { guessedCommand, rowFor } from "./guessed-command.ts";
import { MISSING_COMMANDS, MISSING_OPTIONS } from "./guesses.ts";

/** A search's own flags and terms, which lists and deletions do not have. */
const SEARCH_FLAGS = /^--(?:query|email|email-domain|name|provider|since|until|ip|user|active|unverified)$|^-\w+[:<>]/;
/** What a query is called elsewhere. */
const OF_QUERIES = /^(?:--filter|--where|--search|--selector|-q|-l)$/;
const TAKES_VALUE = /^--(?:query|email|email-domain|name|provider|since|until|ip|user)$/;

/** What commander says of a value that is not among those of an option or an argument. */
const NOT_A_CHOICE =
  /^error: (?:option '(?:-\w, )?(--[\w-]+) <([\w-]+)>' argument|command-argument value) '(.*)' is invalid(?: for argument '(.*)')?\. Allowed choices are (.*)\.$/s;

/** What commander found wrong, with a hint to what was probably meant. */
export async function usageError(given: string, argv: readonly string[], own: Program): Promise<UsageError> {
  const program = await own.having(() => true);
  const place = walk(program, argv);
  const [, option, its, value = "", argument = its, choices] = NOT_A_CHOICE.exec(given) ?? [];
  if (choices !== undefined) {
    const near = argument === "outcome" ? meantOutcome(value) : closest(value, choices.split(", "));
    return new UsageError(
      `${option === undefined ? "U" : `${option}: u`}nknown ${argument} "${value}".`,
      near === undefined ? `Use one of ${choices}.` : `Did you mean ${near}?`,
    );
  }
  // Commander adds a suggestion in a line of its own, which may be far from what was typed.
  const [what = ""] = ofGroup(given, place)
    .replace(/^error: /, "")
    .split("\n");
  return new UsageError(
    asSentence(asTyped(what, argv)),
    hintFor(what, argv, place, program) ?? nearTo(what, place) ?? seeHelp(what, place),
  );
}

/** Commander names what is left of a word once it has read short options from it: `-ame:bot` of `-name:bot`. */
function asTyped(what: string, argv: readonly string[]): string {
  return what.replace(/'-(\w[^']*)'/, (_, rest: string) => {
    const typed = argv.find((word) => /^-\w/.test(word) && word.endsWith(rest));
    return `'${typed ?? `-${rest}`}'`;
  });
}

/** What is spelled almost like an unknown command or option. */
function nearTo(what: string, { command }: Place): string | undefined {
  const [, kind, word = ""] = /^unknown (command|option) '([^'=]*)/.exec(what) ?? [];
  const names = subcommands(command).flatMap((one) => [one.name(), ...one.aliases()]);
  const near = closest(word, kind === "command" ? names : optionsOf(command).flatMap(({ long }) => long ?? []));
  return near && `Did you mean ${near}?`;
}

/** How a command is typed, and what a group has. */
function seeHelp(what: string, { command }: Place): string {
  const path = commandPath(command);
  if (what.startsWith("missing required argument")) return `Use: ${path} ${command.usage()}`;
  const below = command.parent ? subcommands(command).map((one) => one.name()) : [];
  return `${below.length > 0 ? `It has ${enumerated(below, "and")}. ` : ""}See ${path} --help.`;
}

function hintFor(
  what: string,
  argv: readonly string[],
  { command, operands }: Place,
  program: Command,
): string | undefined {
  const [, word] = /^unknown command '([^']*)'/.exec(what) ?? [];
  if (word !== undefined) {
    const user = operands.find((operand) => operand !== word && operand.includes("@"));
    const group = commandPath(command).split(" ").slice(1).join(" ");
    return guessedCommand(program, wordsOf(argv, command), group, word)?.replaceAll(
      "<user>",
      user === undefined ? "<user>" : quoted(user),
    );
  }
  const [, option] = /^unknown option '([^'=]*)/.exec(what) ?? [];
  const group = command.parent?.name() ?? "";
  if (option !== undefined && OF_QUERIES.test(option) && ["users", "sessions"].includes(group)) {
    const asQuery = argv.map((one) => (one.split("=")[0] === option ? one.replace(option, "--query") : one));
    return hintFor("unknown option '--query'", asQuery, { command, operands, pending: undefined }, program);
  }
  if (option !== undefined && SEARCH_FLAGS.test(option)) {
    const rest = searchIn(group || command.name(), argv, operands);
    if (command.name() === "list") return `Use: svc ${group} search ${rest}`;
    if (["users", "sessions"].includes(command.name())) return `Use: svc ${command.name()} search ${rest}`;
    if (command.name() === "delete") return deletionOf(rest, argv);
    if (command.name() === "get")
      return `Use: svc ${group} ${/^--email[ =]\S+@\S+$/.test(rest) ? `get ${rest.slice(8)}` : `search ${rest}`}`;
    if (command.name() === "sign-in") return "Use --as.";
    if (command.name() === "logs")
      return /^--(?:email|name)$/.test(option) ? "Use --user." : "It takes --user, --failed, --flow and --since.";
    if (command.name() === "search" && option === "--query") return `Use: svc ${group} search ${rest}`;
    if (command.name() === "search") return `Use: svc ${group === "users" ? "sessions" : "users"} search ${rest}`;
  }
  if (command.name() === "logs" && /^--(?:filter|where|search)$/.test(option ?? ""))
    return "It takes --user, --failed, --flow and --since.";
  if (option === "--all" && command.name() === "delete") return "Name them: ids, --file <file> or --query <query>.";
  if (option !== undefined) return rowFor(MISSING_OPTIONS, option);
  if (!what.startsWith("too many arguments")) return undefined;
  const [first = ""] = operands;
  const guessed = rowFor(MISSING_COMMANDS, `${command.name()} ${first}`);
  if (guessed !== undefined) return guessed;
  if (command.name() === "list" && argv[argv.indexOf(first) - 1] === "--json") return `Use: --json --fields ${first}`;
  if (command.name() === "list") return `To search: svc ${group} search ${asSearch(group, first)}`;
  if (command.name() === "logout" && first.includes("@"))
    return `Use: svc dev sessions revoke --user ${quoted(first)}, which needs the control API.`;
  if (command.name() === "api") return seeHelp("missing required argument", { command, operands, pending: undefined });
  if (command.name() === "logs" && !/^[0-9a-f]{8,}$/.test(first) && !NO_NAMES.has(first))
    return `Use: svc logs --user ${quoted(first)}${/^[a-z][a-z0-9-]*$/.test(first) ? `, or --instance ${first}` : ""}`;
  const takes = Object.keys(TAKES_BY_FLAG).find(
    (flag) => TAKES_BY_FLAG[flag]!.includes(commandPath(command)) && !NO_NAMES.has(first),
  );
  return takes && `Use: ${commandPath(command)} ${takes} ${quoted(first)}`;
}

/** What finds a word: an address, a part of a name, or a term as it is. */
function asSearch(group: string, word: string): string {
  if (/[:<>]/.test(word)) return quoted(word);
  if (/^\w+=[^=]/.test(word)) return quoted(word.replace("=", ":"));
  const flag = !word.includes("@") ? "--name" : group === "sessions" ? "--user" : "--email";
  return `${flag} ${quoted(word)}`;
}

/** What was typed from a command's first word on. */
function wordsOf(argv: readonly string[], command: Command): readonly string[] {
  const at = argv.findIndex((word, i) => !word.startsWith("-") && !TAKES_VALUE.test(argv[i - 1] ?? ""));
  return command.parent?.parent ? [] : argv.slice(at);
}

/** The flags, their values and the terms of a line that are a search. A query is its terms. */
function searchIn(group: string, argv: readonly string[], operands: readonly string[]): string {
  const words = argv.flatMap((word, i) => {
    const [, query] = /^--query=(.*)$/s.exec(word) ?? [];
    if (query !== undefined || argv[i - 1] === "--query") return [asSearch(group, query ?? word)];
    const isValue = TAKES_VALUE.test(argv[i - 1] ?? "");
    const isSearch = isValue || SEARCH_FLAGS.test(word.split("=")[0]!) || operands.includes(word);
    return word !== "--query" && isSearch ? [quoted(word)] : [];
  });
  return words.join(" ");
}

/** A deletion of what was asked for, and never of more. */
function deletionOf(search: string, argv: readonly string[]): string {
  const [, address] = /^--email[ =](\S+@\S+)$/.exec(search) ?? [];
  if (address !== undefined) return `Use: svc users delete ${address}`;
  const isQuery = argv.some((word) => /^-\w+[:<>]|^--query\b/.test(word));
  if (isQuery)
    return "Use a query, in one argument, such as: svc users delete --query 'email:*@acme.test -name:bot' --dry-run";
  return `Use: svc users search ${search} --fields id | svc users delete - --dry-run`;
}

/** What people type for all of something, which names none. */
const NO_NAMES = new Set(["all", "list", "ls", "show"]);

/** Commands that take by a flag alone what people give them as an argument. */
const TAKES_BY_FLAG: Readonly<Record<string, readonly string[]>> = {
  "--profile": ["svc login", "svc logout", "svc whoami"],
  "--instance": ["svc env", "svc dev keys rotate", "svc dev reset"],
  "--flow": ["svc logs"],
  "--name": ["svc init"],
  "--as": ["svc sign-in"],
  "--output-file": ["svc store export"],
};

/** The default command of a group was given a word that is none of its commands. */
function ofGroup(text: string, { command, operands }: Place): string {
  const [, name = command.name()] = /^error: too many arguments for '([^']*)'/.exec(text) ?? [];
  return name === command.name() ? text : `error: unknown command '${operands[0]}'`;
}

import type { Command } from "commander";
import { meantOutcome } from "../../wire/outcomes.ts";
import { asSentence } from "../../wire/search/query-words.ts";
import { closest } from "../../text/suggestion.ts";
import { UsageError } from "../errors.ts";
import { quoted } from "../output/text.ts";
import { commandPath } from "../command-names.ts";
import { optionsOf, subcommands, walk, type Place } from "./tree.ts";
import { guessedCommand, MISSING_OPTIONS, rowFor } from "./guesses.ts";

/** A search's own flags and terms, which lists and deletions do not have. */
const SEARCH_FLAGS = /^--(?:query|email|email-domain|name|provider|since|until|ip|user|active|unverified)$|^-\w+[:<>]/;
const TAKES_VALUE = /^--(?:query|email|email-domain|name|provider|since|until|ip|user)$/;

/** What commander says of a value that is not among those of an option or an argument. */
const NOT_A_CHOICE =
  /^error: (?:option '(?:-\w, )?(--[\w-]+) <([\w-]+)>' argument|command-argument value) '(.*)' is invalid(?: for argument '(.*)')?\. Allowed choices are (.*)\.$/s;

/** What commander found wrong, with a hint to what was probably meant. */
export function usageError(given: string, argv: readonly string[], program: Command): UsageError {
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
    hintFor(what, argv, place) ?? nearTo(what, place) ?? `See ${commandPath(place.command)} --help.`,
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

function hintFor(what: string, argv: readonly string[], { command, operands }: Place): string | undefined {
  const [, word] = /^unknown command '([^']*)'/.exec(what) ?? [];
  if (word !== undefined) {
    const user = operands.find((operand) => operand !== word && operand.includes("@"));
    return guessedCommand(command.parent ? command.name() : "", word)?.replace(
      "<user>",
      user === undefined ? "<user>" : quoted(user),
    );
  }
  const [, option] = /^unknown option '([^'=]*)/.exec(what) ?? [];
  const group = command.parent?.name() ?? "";
  if (option !== undefined && SEARCH_FLAGS.test(option)) {
    const rest = searchIn(argv, operands);
    if (command.name() === "list") return `Use: svc ${group} search ${rest}`;
    if (["users", "sessions"].includes(command.name())) return `Use: svc ${command.name()} search ${rest}`;
    if (command.name() === "delete") return deletionOf(rest, argv);
    if (command.name() === "get")
      return `Use: svc ${group} ${/^--email[ =]\S+@\S+$/.test(rest) ? `get ${rest.slice(8)}` : `search ${rest}`}`;
    if (command.name() === "logs") return "Use --user.";
    if (command.name() === "search" && option === "--query") return `Use: svc ${group} search ${rest}`;
    if (command.name() === "search") return `Use: svc ${group === "users" ? "sessions" : "users"} search ${rest}`;
  }
  if (option === "--all" && command.name() === "delete") return "Name them: ids, --file <file> or --query <query>.";
  if (option !== undefined) return rowFor(MISSING_OPTIONS, option);
  if (!what.startsWith("too many arguments")) return undefined;
  const [first = ""] = operands;
  if (command.name() === "list") {
    const flag = /[:<>]/.test(first) ? "" : first.includes("@") ? "--email " : "--name ";
    return `To search: svc ${group} search ${flag}${quoted(first)}`;
  }
  if (command.name() === "logs" && !/^[0-9a-f]{8,}$/.test(first) && !NO_NAMES.has(first))
    return `Use: svc logs --user ${quoted(first)}`;
  const takes = ["--profile", "--instance", "--flow"].find(
    (flag) => TAKES_BY_FLAG[flag]!.includes(commandPath(command)) && !NO_NAMES.has(first),
  );
  return takes && `Use: ${commandPath(command)} ${takes} ${quoted(first)}`;
}

/** The flags, their values and the terms of a line that are a search. A query is its terms. */
function searchIn(argv: readonly string[], operands: readonly string[]): string {
  const words = argv.flatMap((word, i) => {
    const isValue = TAKES_VALUE.test(argv[i - 1] ?? "");
    if (word.startsWith("--query=")) return [word.slice("--query=".length)];
    return word !== "--query" && (isValue || SEARCH_FLAGS.test(word.split("=")[0]!) || operands.includes(word))
      ? [word]
      : [];
  });
  return words.map(quoted).join(" ");
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
};

/** The default command of a group was given a word that is none of its commands. */
function ofGroup(text: string, { command, operands }: Place): string {
  const [, name = command.name()] = /^error: too many arguments for '([^']*)'/.exec(text) ?? [];
  return name === command.name() ? text : `error: unknown command '${operands[0]}'`;
}

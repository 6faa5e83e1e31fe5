import type { Command } from "commander";
import { meantOutcome } from "../../wire/outcomes.ts";
import { asSentence } from "../../wire/search/query-words.ts";
import { closest } from "../../wire/text/suggestion.ts";
import { UsageError } from "../errors.ts";
import { quoted } from "../output/text.ts";
import { commandPath, walk, type Place } from "./tree.ts";
import { guessedCommand, MISSING_OPTIONS, rowFor } from "./guesses.ts";

/** A search's own flags and terms, which lists and deletions do not have. */
const SEARCH_FLAGS =
  /^--(?:email|email-domain|name|provider|since|until|ip|user|active|revoked|unverified)$|^-\w+[:<>]/;

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
  // Of commander's own suggestion, which it adds in a line of its own.
  const [what = "", suggestion] = ofGroup(given, place)
    .replace(/^error: /, "")
    .split("\n");
  const hint = hintFor(what, argv, place) ?? suggestion?.replace(/[()]/g, "");
  return new UsageError(asSentence(what), hint ?? `See ${commandPath(place.command)} --help.`);
}

function hintFor(what: string, argv: readonly string[], { command, operands }: Place): string | undefined {
  const [, word] = /^unknown command '([^']*)'/.exec(what) ?? [];
  if (word !== undefined) return guessedCommand(command.parent ? command.name() : "", word);
  const [, option] = /^unknown option '([^'=]*)/.exec(what) ?? [];
  const group = command.parent?.name() ?? "";
  if (option !== undefined && SEARCH_FLAGS.test(option)) {
    const rest = argv.slice(argv.findIndex((argument) => argument.split("=")[0] === option)).join(" ");
    if (command.name() === "list") return `Use: svc ${group} search ${rest}`;
    if (["users", "sessions"].includes(command.name())) return `Use: svc ${command.name()} search ${rest}`;
    if (command.name() === "delete")
      return "Use a query, in one argument: svc users delete --query 'email:*@acme.test -name:bot' --dry-run";
    if (command.name() === "search") return `Use: svc ${group === "users" ? "sessions" : "users"} search ${rest}`;
  }
  if (option !== undefined && commandPath(command) === "svc exec" && !argv.includes("--"))
    return "Put -- before the command: svc exec -- <command>";
  if (option !== undefined) return rowFor(MISSING_OPTIONS, option);
  if (!what.startsWith("too many arguments")) return undefined;
  const [first = ""] = operands;
  if (command.name() === "list") {
    const flag = /[:<>]/.test(first) ? "" : first.includes("@") ? "--email " : "--name ";
    return `To search: svc ${group} search ${flag}${quoted(first)}`;
  }
  const takes = ["--profile", "--instance", "--flow"].find((flag) =>
    TAKES_BY_FLAG[flag]!.includes(commandPath(command)),
  );
  return takes && `Use: ${commandPath(command)} ${takes} ${quoted(first)}`;
}

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

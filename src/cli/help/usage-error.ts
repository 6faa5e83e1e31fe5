import type { Command } from "commander";
import type { Program } from "../command.ts";
import { meantOutcome } from "../../wire/outcomes.ts";
import { asSentence } from "../../wire/search/query-words.ts";
import { closest, enumerated } from "../../text/suggestion.ts";
import { UsageError } from "../errors.ts";
import { quoted } from "../output/text.ts";
import { commandPath } from "../command-names.ts";
import { optionsOf, subcommands, walk, type Place } from "./tree.ts";
import { guessedCommand } from "./guessed-command.ts";
import { MISSING_COMMANDS, rowFor, TAKEN_OTHERWISE } from "./guesses.ts";
import { hintForOption, isMailAddress } from "./wrong-option.ts";

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
    hintFor(what, place, program) ?? nearTo(what, place) ?? seeHelp(what, place),
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

function hintFor(what: string, place: Place, program: Command): string | undefined {
  const { operands } = place;
  const [, word] = /^unknown command '([^']*)'/.exec(what) ?? [];
  if (word !== undefined) {
    const users = place.rest.filter((one) => one !== word && isMailAddress(one)).map(quoted);
    const hint = guessedCommand(program, place, word);
    return hint?.replace("<users>", users.join(" ") || "<user> <user>").replaceAll("<user>", users[0] ?? "<user>");
  }
  const [, option] = /^unknown option '([^'=]*)/.exec(what) ?? [];
  if (option !== undefined) return hintForOption(option, place);
  const [, expected] = /^too many arguments .* Expected (\d+)/.exec(what) ?? [];
  return expected && hintForArgument(operands[Number(expected)] ?? "", place);
}

function hintForArgument(word: string, place: Place): string | undefined {
  const { command } = place;
  const path = commandPath(command).slice("svc ".length);
  const guessed = rowFor(MISSING_COMMANDS, `${command.name()} ${word}`);
  if (guessed !== undefined || word === "") return guessed;
  if (command.name() === "list") return hintForOption("", place);
  const row = TAKEN_OTHERWISE.find(([commands, words]) => commands.test(path) && words.test(word));
  return row?.[2].replaceAll("<word>", quoted(word)).replace("<path>", path);
}

/** The default command of a group was given a word that is none of its commands. */
function ofGroup(text: string, { command, operands }: Place): string {
  const [, name = command.name()] = /^error: too many arguments for '([^']*)'/.exec(text) ?? [];
  return name === command.name() ? text : `error: unknown command '${operands[0]}'`;
}

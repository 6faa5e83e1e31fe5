import type { Command } from "commander";
import { enumerated } from "../../text/suggestion.ts";
import { commandPath } from "../command-names.ts";
import { quoted } from "../output/text.ts";
import { MISSING_COMMANDS, rowFor, SYNONYMS } from "./guesses.ts";
import { childOf, subcommands } from "./tree.ts";
import { isMailAddress } from "./wrong-option.ts";

/**
 * What to use instead of a word that is no command.
 * @param words all that was typed behind `svc`, flags among them
 * @param group the noun before it; empty for svc itself
 * @param wrongIn what is wrong with another line
 */
export function guessedCommand(
  program: Command,
  words: readonly string[],
  group: string,
  word: string,
  wrongIn: (words: readonly string[]) => string | undefined,
): string | undefined {
  const path = words.find((one) => one.startsWith("/"));
  if (path !== undefined)
    return `Use: svc api ${/^(?:post|put|patch|delete)$/.test(word) ? word.toUpperCase() : "GET"} ${quoted(path)}`;
  if (word.startsWith("eyJ")) return "Use: svc tokens verify - < token.txt.";
  if (isMailAddress(word)) return `Use: svc ${OF_A_USER[group] ?? "users get"} ${quoted(word)}`;
  // Some write `auth:export`.
  const [noun = "", verb = ""] =
    group === "" ? words.flatMap((one, i) => (i === 0 ? one.split(":") : one)) : [group, word];
  return (
    rowFor(MISSING_COMMANDS, `${nameOf(program, noun)} ${verb}`) ??
    rowFor(MISSING_COMMANDS, `${nameOf(program, verb)} ${noun}`) ??
    ofTwo(program, word.includes(":") ? [noun, verb, ...words.slice(1)] : words, wrongIn) ??
    (group === "" ? (rowFor(MISSING_COMMANDS, noun) ?? ofOne(program, words, wrongIn)) : undefined)
  );
}

/** The command of a group that takes an address. */
const OF_A_USER: Readonly<Record<string, string>> = { sessions: "sessions search --user", tokens: "dev token --user" };

type WrongIn = (words: readonly string[]) => string | undefined;

/** The command that two words name in another order, by other words or without its `dev`, with what is typed behind them. */
function ofTwo(program: Command, words: readonly string[], wrongIn: WrongIn): string | undefined {
  const [noun = "", verb = ""] = words.map(asHere);
  const path = [
    [noun, verb],
    [verb, noun],
    ["dev", noun, verb],
    ["dev", verb, noun],
  ].find((one) => commandAt(program, one));
  return path && useOf(commandAt(program, path)!, words.slice(2), wrongIn);
}

/** The same of one word. */
function ofOne(program: Command, [word = "", ...rest]: readonly string[], wrongIn: WrongIn): string | undefined {
  const found = commandAt(program, [asHere(word)]) ?? commandAt(program, ["dev", asHere(word)]);
  return found && useOf(found, rest, wrongIn);
}

function useOf(command: Command, rest: readonly string[], wrongIn: WrongIn): string {
  const below = subcommands(command).map((one) => one.name());
  if (below.length > 0) return `Use: ${commandPath(command)}, which has ${enumerated(below, "and")}.`;
  const all = command.name() === "get" && !rest.some((word) => !word.startsWith("-")) ? "list" : command.name();
  const meant = childOf(command.parent!, all) ?? command;
  const path = commandPath(meant);
  const behind = rest.length > 0 ? rest.map(quoted).join(" ") : meant.usage().replace("[options]", "").trim();
  const wrong = wrongIn([...path.split(" ").slice(1), ...rest]);
  if (wrong === undefined) return `Use: ${path} ${behind}`.trim();
  return /^Use: svc|^See /.test(wrong) ? wrong : `That is ${path}. ${wrong}`;
}

/** A noun may be typed in the singular, or as others call it. */
function nameOf(program: Command, word: string): string {
  return childOf(program, asHere(word))?.name() ?? asHere(word);
}

function asHere(word: string): string {
  return rowFor(SYNONYMS, word) ?? word;
}

function commandAt(program: Command, path: readonly string[]): Command | undefined {
  return path.reduce<Command | undefined>((at, word) => at && childOf(at, word), program);
}

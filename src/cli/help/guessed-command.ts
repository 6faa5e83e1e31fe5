import type { Command } from "commander";
import { enumerated } from "../../text/suggestion.ts";
import { commandPath } from "../command-names.ts";
import { quoted } from "../output/text.ts";
import { MISSING_COMMANDS, rowFor, SYNONYMS } from "./guesses.ts";
import { childOf, optionsOf, subcommands, type Place } from "./tree.ts";
import { hintForOption, isMailAddress, lineFor } from "./wrong-option.ts";

/**
 * What to use instead of a word that is no command.
 * @param place of the group that does not have it
 */
export function guessedCommand(program: Command, { command, operands, rest }: Place, word: string): string | undefined {
  const group = commandPath(command).split(" ").slice(1).join(" ");
  const path = rest.find((one) => one.startsWith("/"));
  if (path !== undefined)
    return `Use: svc api ${/^(?:post|put|patch|delete)$/.test(word) ? word.toUpperCase() : "GET"} ${quoted(path)}`;
  if (rest.some((one) => one.startsWith("eyJ")))
    return "Use: svc tokens verify - < token.txt, or svc tokens decode - < token.txt.";
  if (isMailAddress(word)) return `Use: svc ${OF_A_USER[group] ?? "users get"} ${quoted(word)}`;
  // Some write `auth:export`.
  const [first = "", second = ""] = word.split(":");
  const [noun, verb = ""] = group === "" ? [first, second || operands[1]] : [group, word];
  return (
    rowFor(MISSING_COMMANDS, `${nameOf(program, noun)} ${verb}`) ??
    rowFor(MISSING_COMMANDS, `${nameOf(program, verb)} ${noun}`) ??
    ofTwo(program, noun, verb, without(rest, [word, verb])) ??
    (group === "" ? (rowFor(MISSING_COMMANDS, noun) ?? ofOne(program, noun, without(rest, [word]))) : undefined)
  );
}

function without(words: readonly string[], taken: readonly string[]): string[] {
  const left = [...words];
  for (const one of taken) if (left.includes(one)) left.splice(left.indexOf(one), 1);
  return left;
}

/** The command of a group that takes an address. */
const OF_A_USER: Readonly<Record<string, string>> = { sessions: "sessions search --user", tokens: "dev token --user" };

/** The command that two words name in another order, by other words or without its `dev`, with what is typed behind them. */
function ofTwo(program: Command, first: string, second: string, rest: readonly string[]): string | undefined {
  const [noun, verb] = [asHere(first), asHere(second)];
  const path = [
    [noun, verb],
    [verb, noun],
    ["dev", noun, verb],
    ["dev", verb, noun],
  ].find((one) => commandAt(program, one));
  return path && useOf(commandAt(program, path)!, rest);
}

/** The same of one word. */
function ofOne(program: Command, word: string, rest: readonly string[]): string | undefined {
  const found = commandAt(program, [asHere(word)]) ?? commandAt(program, ["dev", asHere(word)]);
  return found && useOf(found, rest);
}

function useOf(command: Command, rest: readonly string[]): string {
  const below = subcommands(command).map((one) => one.name());
  if (below.length > 0) return `Use: ${commandPath(command)}, which has ${enumerated(below, "and")}.`;
  const list = command.name() === "get" ? childOf(command.parent!, "list") : undefined;
  // Without a name, all are meant.
  const meant = list && !rest.some((word) => !word.startsWith("-")) ? list : command;
  const path = commandPath(meant);
  if (rest.length === 0) return `Use: ${path} ${meant.usage().replace("[options]", "").trim()}`.trim();
  const line = lineFor([...(list ? [list] : []), meant], rest);
  if (line !== undefined) return `Use: ${line}`;
  const known = optionsOf(meant).flatMap(({ long, short }) => [long, short]);
  const wrong = rest.map((one) => one.split("=")[0]!).find((one) => /^--?\w/.test(one) && !known.includes(one));
  const hint = hintForOption(wrong ?? "", { command: meant, operands: [], rest, pending: undefined });
  if (hint === undefined) return `See ${path} --help.`;
  return hint.startsWith("Use: svc") ? hint : `That is ${path}. ${hint}`;
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

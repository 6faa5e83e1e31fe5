import type { Command } from "commander";
import { enumerated } from "../../text/suggestion.ts";
import { commandPath } from "../command-names.ts";
import { quoted } from "../output/text.ts";
import { MISSING_COMMANDS, SYNONYMS } from "./guesses.ts";
import { childOf, subcommands } from "./tree.ts";

/**
 * What to use instead of a word that is no command.
 * @param words all that was typed behind `svc`, flags among them
 * @param group the noun before it; empty for svc itself
 */
export function guessedCommand(program: Command, words: readonly string[], group: string, word: string) {
  const path = words.find((one) => one.startsWith("/"));
  if (path !== undefined) return `Use: svc api GET ${quoted(path)}`;
  if (word.startsWith("eyJ")) return "Use: svc tokens verify - < token.txt.";
  if (word.includes("@"))
    return group === "sessions"
      ? `Use: svc sessions search --user ${quoted(word)}`
      : `Use: svc users get ${quoted(word)}`;
  const [noun = "", verb = ""] = group === "" ? words.map(asHere) : [group, word];
  return (
    rowFor(MISSING_COMMANDS, `${noun} ${verb}`) ??
    ofTwo(program, words) ??
    (group === "" ? (rowFor(MISSING_COMMANDS, word) ?? ofOne(program, words)) : undefined)
  );
}

/** The command that two words name in another order, by other words or without its `dev`, with what is typed behind them. */
function ofTwo(program: Command, words: readonly string[]): string | undefined {
  const [noun = "", verb = ""] = words.map(asHere);
  const path = [
    [noun, verb],
    [verb, noun],
    ["dev", noun, verb],
    ["dev", verb, noun],
  ].find((one) => commandAt(program, one));
  return path && useOf(commandAt(program, path)!, words.slice(2));
}

/** The same of one word. */
function ofOne(program: Command, [word = "", ...rest]: readonly string[]): string | undefined {
  const found = commandAt(program, [asHere(word)]) ?? commandAt(program, ["dev", asHere(word)]);
  return found && useOf(found, rest);
}

function useOf(command: Command, rest: readonly string[]): string {
  const below = subcommands(command).map((one) => one.name());
  if (below.length > 0) return `Use: ${commandPath(command)}, which has ${enumerated(below, "and")}.`;
  const behind = rest.length > 0 ? rest.map(quoted).join(" ") : command.usage().replace("[options]", "").trim();
  return `Use: ${commandPath(command)} ${behind}`.trim();
}

function asHere(word: string): string {
  return rowFor(SYNONYMS, word) ?? word;
}

function commandAt(program: Command, path: readonly string[]): Command | undefined {
  return path.reduce<Command | undefined>((at, word) => at && childOf(at, word), program);
}

/** The row of which one of the words, in the place of the last, is the key. */
export function rowFor(rows: typeof MISSING_COMMANDS, key: string): string | undefined {
  return rows.find(([words]) => {
    const [last = "", ...before] = words.split(" ").toReversed();
    return last.split("|").some((word) => [...before, word].join(" ") === key);
  })?.[1];
}

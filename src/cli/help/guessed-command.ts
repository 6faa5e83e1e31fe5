import type { Command } from "commander";
import { enumerated } from "../../wire/text/suggestion.ts";
import { quoted } from "../output/text.ts";
import { commandPath, subcommands } from "./command-map.ts";
import { GUESSED_COMMANDS } from "./guesses.ts";

/** Words that programs use for the same action. */
const SAME: readonly (readonly string[])[] = [
  ["get", "show", "view", "info", "describe"],
  ["list", "ls"],
  ["search", "find", "grep", "lookup"],
  ["delete", "remove", "rm", "purge", "erase"],
  ["create", "add", "new"],
  ["revoke", "end", "kill"],
  ["verify", "check", "validate", "introspect", "whois"],
  ["decode", "inspect", "parse", "show"],
];
/** A hint with more commands would not help. */
const MAX_GUESSES = 4;

/**
 * The commands that an unknown word may mean: those with that name, or another word for it. First those of the same noun, also
 * below `svc dev`, then those of any noun.
 * @param program with all commands
 */
export function guessedCommand(program: Command, group: Command, word: string): string | undefined {
  const isRoot = group.parent === null;
  const key = isRoot ? word : `${group.name()} ${word}`;
  if (Object.hasOwn(GUESSED_COMMANDS, key)) return GUESSED_COMMANDS[key];
  if (word.startsWith("eyJ")) return "svc tokens verify - < token.txt";
  if (word.includes("@"))
    return group.name() === "sessions"
      ? `svc sessions search --email ${quoted(word)}`
      : `svc users get ${quoted(word)}`;
  const words = [word, `${word}s`, ...SAME.filter((same) => same.includes(word)).flat()];
  const named = everyCommand(program).filter((command) => words.includes(command.name()));
  const near = named.filter(({ parent }) => parent!.name() === group.name());
  const found = near.length > 0 || !(isRoot || group.name() === "dev") ? near : shallowest(named);
  if (found.length === 0 || found.length > MAX_GUESSES) return undefined;
  return enumerated(found.map(typed), "or");
}

function everyCommand(program: Command): Command[] {
  return subcommands(program).flatMap((command) => [command, ...everyCommand(command)]);
}

/** Those with the fewest words. */
function shallowest(commands: readonly Command[]): Command[] {
  const depthOf = (command: Command): number => commandPath(command).split(" ").length;
  const least = Math.min(...commands.map(depthOf));
  return commands.filter((command) => depthOf(command) === least);
}

/** A command with the arguments that it needs. */
function typed(command: Command): string {
  const needed = command.registeredArguments
    .filter(({ required }) => required)
    .map((argument) => ` <${argument.name()}>`);
  return commandPath(command) + needed.join("");
}

import type { Command } from "commander";
import { closest } from "../../wire/text/suggestion.ts";

/** Refuses the help of a command that does not exist; commander would print its group's. */
export function refuseUnknown(group: Command): void {
  const [word] = group.args[0] === "help" ? group.args.slice(1) : group.args;
  const names = group.commands.map((command) => command.name());
  if (names.length === 0 || word === undefined || word.startsWith("-") || names.includes(word)) return;
  const near = closest(word, names);
  group.error(`error: unknown command '${word}'${near === undefined ? "" : `\n(Did you mean ${near}?)`}`);
}

import type { Command } from "commander";
import { runs, type Program } from "../command.ts";
import type { Context, Surroundings } from "../context.ts";
import { UsageError, EXIT_MEANINGS } from "../errors.ts";
import { childOf, commandMap, subcommands } from "../help/tree.ts";
import { helpWidth, wrap } from "../help/layout.ts";
import { TOPICS } from "../help/topics.ts";
import { harmlessJson } from "../output/text.ts";

export interface HelpOptions {
  readonly json?: true;
}

export function add(program: Program, context: Surroundings): void {
  const command = program.command("help [command...]");
  runs(
    command,
    context,
    { on: "nothing" },
    (given, options: HelpOptions, words: string[]) => runHelp(given, options, program, words),
    {
      examples: [
        ["svc help users search", "the help of a command"],
        ["svc help query", "a topic"],
        ["svc help --json", "every command with its arguments and options, and the exit codes, for programs"],
      ],
      notes: `Topics:\n${Object.entries(TOPICS)
        .map(([name, { description }]) => `  ${name.padEnd(11)}  ${description}`)
        .join("\n")}`,
    },
  );
}

export async function runHelp(
  context: Context,
  { json }: HelpOptions,
  program: Program,
  words: readonly string[],
): Promise<void> {
  const topic = words.length === 1 && Object.hasOwn(TOPICS, words[0]!) ? TOPICS[words[0]!] : undefined;
  // The words are among the arguments, and so their command is loaded.
  const command = find(json ? await program.having(() => true) : program, topic ? [] : words);
  if (json) context.stdout.write(`${harmlessJson({ ...commandMap(command), exit_codes: EXIT_MEANINGS }, 2)}\n`);
  else if (topic) context.stdout.write(`${wrap(topic.text(program), helpWidth(context.stdout))}\n`);
  else context.stdout.write(command.helpInformation());
}

/** The command that the words lead to. */
function find(program: Program, words: readonly string[]): Command {
  return words.reduce<Command>((command, word) => {
    const child = childOf(command, word);
    if (child) return child;
    const topics = command === program ? Object.keys(TOPICS) : [];
    const names = [...new Set([...subcommands(command).map((one) => one.name()), ...topics])];
    throw new UsageError(
      `No help for "${words.join(" ")}".`,
      names.length === 0 ? "Omit the last word." : `Topics and commands: ${names.join(", ")}.`,
    );
  }, program);
}

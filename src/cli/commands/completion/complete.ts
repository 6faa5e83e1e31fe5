import type { Argument, Command, Option } from "commander";
import { PROVIDERS, SESSION_PROVIDERS } from "../../../wire/providers.ts";
import { SESSION_FIELDS, USER_FIELDS } from "../../../wire/search/fields.ts";
import { TOPIC_NAMES } from "../../command-names.ts";
import { runs, type Program } from "../../command.ts";
import { knownSubdomains } from "../../connection/running-server.ts";
import type { Context, Surroundings } from "../../context.ts";
import { listProfiles } from "../../credentials/profiles.ts";
import { readStdin } from "../../files.ts";
import { commandPath } from "../../command-names.ts";
import { optionsOf, subcommands, walk } from "../../help/tree.ts";
import { harmless } from "../../output/text.ts";

/** What a word can become. */
interface Candidate {
  readonly value: string;
  readonly description?: string;
}

/** Says that the shell is to complete the name of a file. */
const FILES: readonly Candidate[] = [{ value: ":files" }];

/** Asked by the scripts. The line comes by standard input, because it may contain secrets. */
export function add(program: Program, context: Surroundings): void {
  runs(program.command("__complete", { hidden: true }), context, { on: "nothing" }, (given) =>
    runComplete(given, program),
  );
}

export async function runComplete(context: Context, program: Program): Promise<void> {
  // Some shells end what they pass on with a line end of their own.
  const line = (await readStdin(context)).replace(/\r?\n$/, "");
  const words = splitLine(line);
  const loaded = await program.having((name) => words.includes(name));
  for (const { value, description = "" } of await complete(loaded, context, words))
    context.stdout.write(`${value}\t${harmless(description)}\n`);
}

/** Words as a shell sees them, the last one perhaps unfinished. */
export function splitLine(line: string): string[] {
  const words: string[] = line.match(/(?:'[^']*'?|"[^"]*"?|\\.|[^\s'"\\])+/g) ?? [];
  if (line === "" || /\s$/.test(line)) words.push("");
  return words.map((word) => word.replace(/['"]|\\(.)/g, "$1"));
}

/** What the last of the words, which begin with `svc`, can become. */
async function complete(program: Command, context: Context, words: readonly string[]): Promise<readonly Candidate[]> {
  const current = words.at(-1) ?? "";
  const candidates = await candidatesFor(program, context, words.slice(1, -1), current);
  if (candidates === FILES) return FILES;
  // What is to be typed can be seen. A field that is there only waits for its value.
  const isNext = (value: string): boolean => value.startsWith(current) && !(value === current && value.endsWith(":"));
  return candidates.filter(({ value }) => /^[\w@%+=:,./-]+$/.test(value) && isNext(value));
}

async function candidatesFor(
  program: Command,
  context: Context,
  before: readonly string[],
  current: string,
): Promise<readonly Candidate[]> {
  const { command, operands, pending } = walk(program, before);
  if (pending) return valuesOf(context, pending, command);
  if (command.name() === "help") return helpWords(program, operands);
  const all = command.registeredArguments;
  const argument = all[operands.length] ?? all.find(({ variadic }) => variadic);
  const values = argument ? await valuesOf(context, argument, command) : [];
  if (!current.startsWith("-")) return [...(operands.length === 0 ? childrenOf(command) : []), ...values];
  const negated = values.map(({ value }) => ({ value: `-${value}` }));
  const options = optionsOf(command).flatMap(({ long, description }) => (long ? [{ value: long, description }] : []));
  return [...(argument?.name() === "term" ? negated : []), ...options];
}

function helpWords(program: Command, operands: readonly string[]): Candidate[] {
  const topics = operands.length === 0 ? TOPIC_NAMES.map((value) => ({ value })) : [];
  return [...childrenOf(walk(program, operands).command), ...topics];
}

function childrenOf(command: Command): Candidate[] {
  return subcommands(command).map((child) => ({ value: child.name(), description: child.description() }));
}

type Values = (context: Context) => Promise<readonly string[]> | readonly string[];

const fields = (names: object, providers: readonly string[]): string[] => [
  ...Object.keys(names).map((field) => `${field}:`),
  ...providers.map((provider) => `provider:${provider}`),
];

/** The possible values of options and arguments for which the command has no choices. */
const VALUES: Readonly<Record<string, Values>> = {
  "--profile": listProfiles,
  "svc profiles use name": listProfiles,
  "--instance": knownSubdomains,
  instance: knownSubdomains,
  "svc users search --provider": () => PROVIDERS,
  "svc sessions search --provider": () => SESSION_PROVIDERS,
  "svc users search term": () => fields(USER_FIELDS, PROVIDERS),
  "svc sessions search term": () => fields(SESSION_FIELDS, SESSION_PROVIDERS),
};

/** The possible values of an option or an argument. Empty if they are not known. */
async function valuesOf(context: Context, taker: Option | Argument, command: Command): Promise<readonly Candidate[]> {
  if (taker.argChoices) return taker.argChoices.map((value) => ({ value }));
  const name = "long" in taker ? (taker.long ?? "") : taker.name();
  const values = VALUES[`${commandPath(command)} ${name}`] ?? VALUES[name];
  if (!values) return "flags" in taker && /[<[](?:file|path|directory)/.test(taker.flags) ? FILES : [];
  // A failure must not disturb the typing.
  const found = await (async () => values(context))().catch(() => []);
  return found.map((value) => ({ value }));
}

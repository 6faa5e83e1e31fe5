import type { Command } from "commander";
import { runs, type Program } from "../../command.ts";
import type { Context } from "../../context.ts";
import { readStdin } from "../../files.ts";
import { subcommands } from "../../help/command-map.ts";
import { optionsOf, walk, type Place } from "../../help/place.ts";
import { TOPICS } from "../../help/topics.ts";
import { harmless } from "../../output/text.ts";
import { splitLine, FILES, searchedBy, takesTerms, termsFor, type Candidate } from "./line.ts";
import { valuesOf } from "./values.ts";

/** Asked by the scripts. The line comes by standard input, because it may contain secrets. */
export function add(program: Program, context: Context): void {
  runs(program.command("__complete", { hidden: true }), context, () => runComplete(context, program));
}

export async function runComplete(context: Context, program: Program): Promise<void> {
  // Some shells end what they pass on with a line end of their own.
  const line = (await readStdin(context)).replace(/\r?\n$/, "");
  const words = splitLine(line);
  const loaded = await program.having((name) => words.includes(name));
  for (const { value, description = "" } of await complete(loaded, context, words))
    context.stdout.write(`${value}\t${harmless(description)}\n`);
}

/** What the last of the words, which begin with `svc`, can become. */
async function complete(program: Command, context: Context, words: readonly string[]): Promise<readonly Candidate[]> {
  const current = words.at(-1) ?? "";
  // As if the option were a word of its own.
  const [, option, begun = current] = /^(--[\w-]+)=(.*)$/s.exec(current) ?? [];
  const place = walk(program, [...words.slice(1, -1), ...(option === undefined ? [] : [option])]);
  if (option !== undefined && !place.pending) return [];
  const candidates = await candidatesFor(program, context, place, begun);
  if (candidates === FILES) return FILES;
  const whole = candidates.map((one) => (option === undefined ? one : { ...one, value: `${option}=${one.value}` }));
  return whole.filter(({ value }) => isNext(value, current));
}

/** What is there already and only waits for a value is not offered again. */
function isNext(value: string, current: string): boolean {
  // What is to be typed can be seen.
  return /^[\w@%+=:,./-]+$/.test(value) && value.startsWith(current) && !(value === current && value.endsWith(":"));
}

async function candidatesFor(
  program: Command,
  context: Context,
  place: Place,
  current: string,
): Promise<readonly Candidate[]> {
  const { command, operands, pending } = place;
  if (pending) return valuesOf(context, pending, current, place);
  const fields = takesTerms(place) ? searchedBy(place) : undefined;
  const terms = fields ? termsFor(fields, current) : [];
  if (current.startsWith("-"))
    return [
      ...terms,
      ...optionsOf(command).flatMap(({ long: value, description }) => (value ? [{ value, description }] : [])),
    ];
  if (terms.length > 0) return terms;
  const children = operands.length === 0 ? subcommands(command) : [];
  const named = children.map(toCandidate);
  if (command.name() === "help") return helpWords(program, operands);
  const { registeredArguments: all } = command;
  const argument = all[operands.length] ?? all.find(({ variadic }) => variadic);
  return argument ? [...named, ...(await valuesOf(context, argument, current, place))] : named;
}

function helpWords(program: Command, operands: readonly string[]): Candidate[] {
  const { command } = walk(program, operands);
  const children = subcommands(command).map(toCandidate);
  if (operands.length > 0) return children;
  const topics = Object.entries(TOPICS).filter(([name]) => !children.some(({ value }) => value === name));
  return [...children, ...topics.map(([value, { description }]) => ({ value, description }))];
}

function toCandidate(command: Command): Candidate {
  return { value: command.name(), description: command.description() };
}

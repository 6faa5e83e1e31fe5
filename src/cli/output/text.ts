import { Chalk, type ChalkInstance } from "chalk";
import { HARMFUL, harmless } from "../../text/harmless.ts";
import { shellQuoted } from "../../text/shell.ts";
import { COMMAND_NAMES } from "../command-names.ts";
import type { Context, Stream, Surroundings } from "../context.ts";
import type { OutputFlags } from "./flags.ts";

export { harmless, harmlessData } from "../../text/harmless.ts";

const GAP = "  ";

/** Colours of a stream. Our own policy: chalk does not know `NO_COLOR`, and looks at `argv` by itself. */
export function colors(stream: Stream, { env }: Pick<Surroundings, "env">): ChalkInstance {
  const { FORCE_COLOR, NO_COLOR, TERM } = env;
  if (FORCE_COLOR) return new Chalk({ level: FORCE_COLOR === "0" ? 0 : 1 });
  return new Chalk({ level: stream.isTTY && !NO_COLOR && TERM !== "dumb" ? 1 : 0 });
}

/** Tells a person something, in a line on stderr. Commands in it are as they are to be typed here. */
export function say(context: Context, sentence: string): void {
  context.stderr.write(`${harmless(asRun(sentence, context))}\n`);
}

/** A line on stderr, which with `--json` is JSON, for a program that keeps both streams. */
export function note(context: Context, { json }: OutputFlags, level: "info" | "warn", message: string): void {
  if (json) writeLog(context.stderr, context, { type: "log", level, message: harmless(message) });
  else say(context, message);
}

type LogEntry = { readonly type: "log" | "audit" } & Readonly<Record<string, unknown>>;

/** An entry of a log in JSON. */
export function writeLog(stream: Stream, { now }: Context, { type, ...entry }: LogEntry): void {
  stream.write(`${harmlessJson({ type, time: now().toISOString(), ...entry })}\n`);
}

/** The API's body, unchanged: indented for a person, in one line for a program. */
export function printJson(context: Context, body: unknown): void {
  context.stdout.write(`${harmlessJson(body, context.stdout.isTTY ? 2 : undefined)}\n`);
}

/** JSON leaves some characters to the reader that a terminal would act on. The line ends of its own indentation stay. */
export function harmlessJson(body: unknown, indent?: number): string {
  return JSON.stringify(body, null, indent).replace(HARMFUL, (character) =>
    character === "\n" ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** One record, a line for each of its values. */
export function printRecord(context: Context, values: Readonly<Record<string, string>>): void {
  const { stdout } = context;
  const chalk = colors(stdout, context);
  const width = stdout.isTTY ? Math.max(...Object.keys(values).map((name) => name.length)) + GAP.length : 0;
  for (const [name, value] of Object.entries(values)) {
    stdout.write(
      stdout.isTTY ? `${chalk.dim(name.padEnd(width))}${harmless(value)}\n` : `${name}\t${harmless(value)}\n`,
    );
  }
}

/** A key that can be told from others, and not be used. */
export function mask(key: string): string {
  return `${key.slice(0, 3)}…${key.slice(-4)}`;
}

/** `svc` before the name of a command or a flag; elsewhere, as in "not an svc store", it is the name of the program. */
const COMMAND = new RegExp(`(?<!\\ban? )\\bsvc (?=-|(?:${Object.values(COMMAND_NAMES).flat().join("|")})\\b)`, "g");

/** The commands in a text as they are to be typed here: with `npx` if npm runs this command. */
export function asRun(text: string, { env }: Pick<Context, "env">): string {
  return env["npm_command"] ? text.replace(COMMAND, "npx svc-identity ") : text;
}

/** A word as it is typed in bash, dash, zsh and fish alike. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : shellQuoted(word);
}

/** @param noun in the singular, of which the plural ends in -s or -ies */
export function counted(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : noun.endsWith("y") ? `${noun.slice(0, -1)}ies` : `${noun}s`}`;
}

/** @param nouns in the plural, which ends in -s or -ies, such as the name of a table */
export function countedAmong(count: number, nouns: string): string {
  return counted(count, nouns.replace(/ies$/, "y").replace(/s$/, ""));
}

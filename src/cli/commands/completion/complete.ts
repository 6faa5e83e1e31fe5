import type { Argument, Command, Option } from "commander";
import { SESSION_FIELDS, USER_FIELDS, type Fields } from "../../../wire/fields.ts";
import { PROVIDERS } from "../../../wire/names.ts";
import { subcommands } from "../../help/command-map.ts";
import type { Context } from "../../context.ts";
import { FORMATS } from "../../output/flags.ts";
import { listProfiles, PROFILE_SETTINGS } from "../../credentials/profiles.ts";
import { knownSubdomains } from "../../connection/running-server.ts";
import { TOPICS } from "../../help/topics.ts";

export interface Candidate {
  readonly value: string;
  readonly description?: string;
}

/** Says that the shell is to complete the name of a file. */
const FILES: readonly Candidate[] = [{ value: ":files" }];

type Values = (context: Context) => Promise<readonly string[]> | readonly string[];

/** What the value of an option, or an argument, can be, where it is not among the choices that the command names. */
const VALUES: Readonly<Record<string, Values>> = {
  "--profile": listProfiles,
  "--instance": knownSubdomains,
  "--provider": () => PROVIDERS,
  "--output": () => FORMATS,
  "--providers": () => ["auto", "real", "simulated"],
  "profiles name": listProfiles,
  "config setting": () => PROFILE_SETTINGS,
  "api method": () => ["GET", "POST", "DELETE"],
  "api path": () => [
    "/api/v1/users",
    "/api/v1/users/search",
    "/api/v1/sessions",
    "/api/v1/sessions/search",
    "/api/v1/instances/search",
    "/api/v1/tokens/verify",
    "/.well-known/openid-configuration",
  ],
};

const SEARCHED: Readonly<Record<string, Fields>> = { users: USER_FIELDS, sessions: SESSION_FIELDS };

/** What the last of the words, which begin with `svc`, can become. */
export async function complete(
  program: Command,
  context: Context,
  words: readonly string[],
): Promise<readonly Candidate[]> {
  const current = words.at(-1) ?? "";
  const { command, operands, pending } = walk(program, words.slice(1, -1));
  const candidates = await candidatesFor(program, context, { command, operands, pending, current });
  return candidates === FILES ? FILES : candidates.filter(({ value }) => isNext(value, current));
}

/** What is there already and only waits for a value is not offered again. */
function isNext(value: string, current: string): boolean {
  // What is to be typed can be seen.
  return /^[\w@%+=:,./-]+$/.test(value) && value.startsWith(current) && !(value === current && value.endsWith(":"));
}

/** Words as a shell sees them, the last one perhaps unfinished. */
export function splitLine(line: string): string[] {
  const words: string[] = line.match(/(?:'[^']*'?|"[^"]*"?|\\.|[^\s'"\\])+/g) ?? [];
  if (line === "" || /\s$/.test(line)) words.push("");
  return words.map((word) => word.replace(/['"]|\\(.)/g, "$1"));
}

interface Place {
  readonly command: Command;
  /** How many arguments there are already. */
  readonly operands: readonly string[];
  /** The option whose value comes next. */
  readonly pending: Option | undefined;
}

function walk(program: Command, words: readonly string[]): Place {
  let command = program;
  let pending: Option | undefined;
  const operands: string[] = [];
  for (const word of words) {
    if (pending) pending = undefined;
    else if (word.startsWith("-"))
      pending = optionsOf(command).find((option) => (option.long === word || option.short === word) && option.required);
    else {
      const child = operands.length === 0 ? command.commands.find((one) => one.name() === word) : undefined;
      if (child) command = child;
      else operands.push(word);
    }
  }
  return { command, operands, pending };
}

async function candidatesFor(
  program: Command,
  context: Context,
  { command, operands, pending, current }: Place & { current: string },
): Promise<readonly Candidate[]> {
  if (pending) return valuesOf(context, pending, pending.long ?? "");
  const [, long] = /^(--[\w-]+)=/.exec(current) ?? [];
  if (long !== undefined) {
    const option = optionsOf(command).find((one) => one.long === long);
    const values = option ? await valuesOf(context, option, long) : [];
    return values === FILES ? FILES : values.map(({ value }) => ({ value: `${long}=${value}` }));
  }
  const fields = SEARCHED[command.parent?.name() ?? ""];
  const terms = fields && command.name() === "search" ? termsFor(fields, current) : [];
  if (current.startsWith("-"))
    return [
      ...terms,
      ...optionsOf(command).flatMap(({ long: value, description }) => (value ? [{ value, description }] : [])),
    ];
  if (terms.length > 0) return terms;
  const children = operands.length === 0 ? subcommands(command) : [];
  const named = children.map((child) => ({ value: child.name(), description: child.description() }));
  if (command.name() === "help") return helpWords(program, operands);
  const argument = command.registeredArguments.at(Math.min(operands.length, command.registeredArguments.length - 1));
  const isTaken = argument !== undefined && !argument.variadic && operands.length >= command.registeredArguments.length;
  if (argument === undefined || isTaken) return named;
  return [...named, ...(await valuesOf(context, argument, `${nameOf(command)} ${argument.name()}`))];
}

/** `profiles use` and `profiles remove` take the same names. */
function nameOf(command: Command): string {
  return command.parent?.parent ? command.parent.name() : command.name();
}

async function valuesOf(context: Context, taker: Option | Argument, name: string): Promise<readonly Candidate[]> {
  if (taker.argChoices) return taker.argChoices.map((value) => ({ value }));
  const values = VALUES[name];
  if (values) return (await Promise.resolve(values(context)).catch(() => [])).map((value) => ({ value }));
  return "flags" in taker && /[<[](?:file|path|directory)/.test(taker.flags) ? FILES : [];
}

function optionsOf(command: Command): Option[] {
  const own = command.createHelp().visibleOptions(command);
  return command.parent ? [...own, ...optionsOf(command.parent).filter(({ long }) => long !== "--version")] : own;
}

function helpWords(program: Command, operands: readonly string[]): Candidate[] {
  const { command } = walk(program, operands);
  const children = subcommands(command).map((child) => ({ value: child.name(), description: child.description() }));
  if (operands.length > 0) return children;
  const topics = Object.entries(TOPICS).filter(([name]) => !children.some(({ value }) => value === name));
  return [...children, ...topics.map(([value, { description }]) => ({ value, description }))];
}

const DESCRIPTIONS = { string: "text", datetime: "a day, in UTC", boolean: "true or false" } as const;

/** A field, and then what it can be, in a spelling that no shell takes for its own. */
function termsFor(fields: Fields, current: string): Candidate[] {
  const minus = current.startsWith("-") ? "-" : "";
  return Object.entries(fields).flatMap(([field, { type, nullable }]) => [
    { value: `${minus}${field}:`, description: DESCRIPTIONS[type] },
    ...(type === "datetime" && minus === ""
      ? [
          { value: `${field}.gte=`, description: "on or after" },
          { value: `${field}.lt=`, description: "before" },
        ]
      : []),
    ...(type === "boolean"
      ? ["true", "false"].map((value) => ({ value: `${minus}${field}:${value}`, description: "" }))
      : []),
    ...(nullable ? [{ value: `${minus}${field}:null`, description: "has no value" }] : []),
    ...(field === "provider"
      ? [...PROVIDERS, "password"].map((provider) => ({ value: `${minus}provider:${provider}` }))
      : []),
  ]);
}

import type { Command } from "commander";
import { asSentence } from "../../wire/search/query-words.ts";
import { closest } from "../../wire/text/suggestion.ts";
import { meantOutcome } from "../../wire/outcomes.ts";
import { UsageError } from "../errors.ts";
import type { Program } from "../command.ts";
import { quoted } from "../output/text.ts";
import { commandPath } from "./command-map.ts";
import { GUESSED_AT, GUESSED_OPTIONS, guessedCommand } from "./guesses.ts";
import { walk, type Place } from "./place.ts";

/** A search's own flags, which lists and deletions do not have. */
const SEARCH_FLAGS = /^--(?:email|email-domain|name|provider|since|until|ip|user|active|revoked|verified|unverified)$/;

/** Flags of a search of sessions, which users do not have. */
const SESSION_FLAGS = /^--(?:ip|user|active|revoked)$/;

/** Commands that take by a flag alone what people give them as an argument. */
const BY_FLAG: ReadonlyMap<string, string> = new Map([
  ["svc login", "--profile"],
  ["svc logout", "--profile"],
  ["svc whoami", "--profile"],
  ["svc env", "--instance"],
  ["svc dev keys rotate", "--instance"],
  ["svc dev reset", "--instance"],
]);

/** What commander says of a value that is not among those of an option or an argument. */
const NOT_A_CHOICE =
  /^error: (?:option '(?:-\w, )?(--[\w-]+) <([\w-]+)>' argument|command-argument value) '(.*)' is invalid(?: for argument '(.*)')?\. Allowed choices are (.*)\.$/s;

/** What commander found wrong, with a hint to what was probably meant. */
export async function usageError(given: string, argv: readonly string[], program: Program): Promise<UsageError> {
  const place = walk(program, argv);
  const [, option, its, value, argument = its, choices] = NOT_A_CHOICE.exec(given) ?? [];
  if (value !== undefined && choices !== undefined) {
    const near =
      (argument === "outcome" ? meantOutcome(value) : closest(value, choices.split(", "))) ??
      flagOf(value, place.command);
    const what = `unknown ${argument} "${value}".`;
    return new UsageError(
      option === undefined ? sentence(what) : `${option}: ${what}`,
      near === undefined ? `Use one of ${choices}.` : `Did you mean ${near}?`,
    );
  }
  const text = ofGroup(given, place);
  const message = text.replace(/^error: /, "").replace("'--not=", "'-");
  const [, word] = /unknown command '([^']*)'/.exec(text) ?? [];
  const hint = (word !== undefined && (await commandHint(word, argv, program))) || hintFor(text, argv, place);
  // One guess is enough, and ours knows what commands are for.
  const short = message.split("\n")[0]!;
  return new UsageError(sentence(hint.startsWith("See ") ? message : short), hint);
}

/** The option that takes what was given as an argument. */
function flagOf(value: string, command: Command): string | undefined {
  const option = command.options.find(({ argChoices }) => argChoices?.includes(value));
  return option && `${option.long} ${value}`;
}

/** What is wrong with a group of commands without one of them. */
export function missingCommand(argv: readonly string[], program: Command): UsageError {
  return new UsageError("No command given.", `See ${commandPath(walk(program, argv).command)} --help.`);
}

async function commandHint(word: string, argv: readonly string[], program: Program): Promise<string | undefined> {
  const all = await program.having(() => true);
  const guess = guessedCommand(all, walk(all, argv).command, word);
  return guess === undefined || guess.endsWith(".") ? guess : `Did you mean: ${guess}?`;
}

function hintFor(text: string, argv: readonly string[], { command, operands }: Place): string {
  const path = commandPath(command);
  const [, option] = /unknown option '([^'=]*)/.exec(text) ?? [];
  const hint =
    (option !== undefined && hintForOption(option, argv, command)) ||
    (/too many arguments/.test(text) && hintForWord(operands, command));
  if (hint) return hint;
  if (/unknown option '-\d/.test(text) && path === "svc dev clock advance")
    return "advance moves the clock forwards. To move it back, set it: svc dev clock set <time>";
  if (/missing required argument/.test(text) && path === "svc api" && argv[1]?.startsWith("/"))
    return `Write the method first: svc api GET ${quoted(argv[1])}`;
  return `See ${path} --help.`;
}

function hintForOption(option: string, argv: readonly string[], command: Command): string | undefined {
  const path = commandPath(command);
  const group = command.parent?.name();
  const rest = argv.slice(argv.indexOf(option)).join(" ");
  if (SESSION_FLAGS.test(option) && group === "users" && command.name() !== "delete")
    return `Use: svc sessions search ${rest}`;
  if (SEARCH_FLAGS.test(option) && command.name() === "list") return `Use: svc ${group!} search ${rest}`;
  if (option === "--force") return hintForForce(command);
  const instead = GUESSED_AT.get(`${path} ${option}`);
  if (instead !== undefined) return `Use: ${instead.replace("<value>", () => valueOf(option, argv))}`;
  if (command.name() === "delete" && (SEARCH_FLAGS.test(option) || option === "--not"))
    return "Use a query, in one argument: svc users delete --query 'email:*@acme.test -name:bot' --dry-run";
  if (path === "svc exec" && !argv.includes("--")) return hintForExec(argv.slice(argv.indexOf("exec") + 1));
  const guess = GUESSED_OPTIONS.get(option);
  return guess && `Use ${guess}.`;
}

/** What may be meant by the words behind a command that takes fewer. */
function hintForWord(words: readonly string[], command: Command): string | undefined {
  const path = commandPath(command);
  const [word = ""] = words;
  if (path === "svc users get")
    return `For a name of several words: svc users search --name ${quoted(words.join(" "))}`;
  if (BY_FLAG.has(path)) return `Use: ${path} ${BY_FLAG.get(path)} ${word}`;
  if (/^(?:de|a)sc$/i.test(word)) return "Use --sort -created_at for descending order.";
  if (command.name() === "list") return `To search: svc ${command.parent!.name()} search ${termFor(word)}`;
  if (path !== "svc logs") return undefined;
  return word.includes("@")
    ? `For the sign-ins of a user: svc logs --user ${quoted(word)}`
    : `To show one sign-in: svc logs --flow ${quoted(word)}`;
}

/** The default command of a group was given a word that is none of its commands. */
function ofGroup(text: string, { command, operands }: Place): string {
  const [, name = command.name()] = /^error: too many arguments for '([^']*)'/.exec(text) ?? [];
  return name === command.name() ? text : `error: unknown command '${operands[0]}'`;
}

/** The term that finds what someone gave a list to look for. */
function termFor(word: string): string {
  if (/[:<>=]/.test(word)) return `'${word}'`;
  return word.includes("@") ? `--email ${word}` : `name.contains=${word.split(/\s/)[0]}`;
}

/** What another program's --force is here. */
function hintForForce(command: Command): string | undefined {
  if (command.name() === "init")
    return "Files are never overwritten: move them, or choose another directory with --dir.";
  const has = (flag: string): boolean => command.options.some(({ long }) => long === flag);
  if (!has("--yes")) return undefined;
  return has("--expect") ? "Use --yes, with --expect for a query." : "Use --yes.";
}

/** The command of another program, with options that svc takes for its own. */
function hintForExec(words: readonly string[]): string {
  const command = words[0]?.startsWith("-") === false ? words.map(quoted).join(" ") : "<command>";
  return `Put -- before the command: svc exec -- ${command}`;
}

/** What was given to an option, as `--option value` or `--option=value`. */
function valueOf(option: string, argv: readonly string[]): string {
  const i = argv.findIndex((word) => word === option || word.startsWith(`${option}=`));
  const value = argv[i]!.includes("=") ? argv[i]!.slice(option.length + 1) : argv[i + 1];
  if (value === undefined || value.startsWith("-")) return "<value>";
  return quoted(option === "--outcome" ? (meantOutcome(value) ?? value) : value);
}

/** `unknown command 'x'` and commander's own guess below it, as sentences. */
function sentence(text: string): string {
  const [first = "", ...guesses] = text.split("\n");
  return [asSentence(first), ...guesses.map((guess) => guess.replace(/[()]/g, ""))].filter(Boolean).join(" ");
}

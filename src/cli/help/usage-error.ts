import type { Command } from "commander";
import { closest } from "../../wire/closest.ts";
import { CliError } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { commandPath } from "./command-map.ts";

/** The commands for common first guesses. Commander finds spelling mistakes. */
const COMMANDS: Readonly<Record<string, string>> = {
  search: "svc users search, or svc sessions search",
  find: "svc users search, or svc sessions search",
  list: "svc users list, or svc sessions list",
  ls: "svc users list, or svc sessions list",
  get: "svc users get <id>, or svc sessions get <id>",
  delete: "svc users delete",
  user: "svc users",
  session: "svc sessions",
  token: "svc tokens",
  instance: "svc instances",
  verify: "svc tokens verify",
  decode: "svc tokens decode",
  log: "svc logs",
  keys: "svc env, which prints the keys of the local server; to replace them: svc dev keys rotate",
  key: "svc whoami",
  use: "svc profiles use <name>; for an instance of the local server: --instance <name>",
  switch: "svc profiles use <name>",
  auth: "svc login, svc logout or svc whoami",
  status: "svc doctor, or svc whoami",
  ping: "svc doctor",
  start: "svc serve",
  run: "svc serve",
  up: "svc serve",
  signin: "svc sign-in",
  "clock get": "svc dev clock show",
  signup: "svc sign-in, which makes a user at the first sign-in",
  clock: "svc dev clock",
  scenarios: "svc dev scenarios",
  snapshot: "svc dev snapshot",
  seed: "svc dev seed",
  reset: "svc dev reset",
  dashboard: "svc open dashboard",
  "users create": "svc dev users create",
  "users update": "svc dev users update",
  "users show": "svc users get <id>",
  "users view": "svc users get <id>",
  "users find": "svc users search",
  "users ls": "svc users list",
  "users rm": "svc users delete",
  "users remove": "svc users delete",
  "sessions show": "svc sessions get <session_id>",
  "sessions view": "svc sessions get <session_id>",
  "sessions find": "svc sessions search",
  "sessions ls": "svc sessions list",
  "tokens check": "svc tokens verify",
  "tokens inspect": "svc tokens decode",
  "tokens show": "svc tokens decode",
  "tokens parse": "svc tokens decode",
  "instances show": "svc instances list",
  "profiles show": "svc profiles list",
};

const OPTIONS: Readonly<Record<string, string>> = {
  "-o": "--output; a short option that takes a value would swallow a term such as -provider:github",
  "--format": "--output",
  "--jq": "--fields, or --json and jq",
  "--key": "SVC_SECRET_KEY, or svc login",
  "--token": "SVC_SECRET_KEY, or svc login",
  "--url": "--base-url",
  "--host": "--base-url",
  "--filter": "a term: svc users search 'email:*@acme.com'",
  "--all": "no option: lists are complete unless you pass --limit",
  "--page": "--limit and --after",
  "--dryrun": "--dry-run",
};

/** A search's own flags, which lists and deletions do not have. */
const SEARCH_FLAGS = /^--(?:email|email-domain|name|provider|since|until|ip|user|active|revoked|verified|unverified)$/;

/** Flags of a search of sessions, which users do not have. */
const SESSION_FLAGS = /^--(?:provider|ip|user|active|revoked)$/;

/** Commands that take an instance by the flag alone. */
const BY_INSTANCE = new Set(["svc dev keys rotate", "svc dev reset", "svc env"]);

/** What commander found wrong, with a hint to what was probably meant. */
export function usageError(given: string, argv: readonly string[], program: Command): CliError {
  const text = ofGroup(given, argv, commandOf(argv, program));
  const message = text.replace(/^error: /, "").replace("'--not=", "'-");
  const hint = hintFor(text, argv, program);
  // One guess is enough, and ours knows what commands are for.
  const short = message.split("\n")[0]!.replace(/ Allowed choices are .*/, "");
  return new CliError(EXIT.usage, sentence(hint.startsWith("See ") ? message : short), hint);
}

function hintFor(text: string, argv: readonly string[], program: Command): string {
  const command = commandOf(argv, program);
  const path = commandPath(command);
  const [, word] = /unknown command '([^']*)'/.exec(text) ?? [];
  const [, option] = /unknown option '([^'=]*)/.exec(text) ?? [];
  const noun = command.name();
  if (word !== undefined) {
    const guess = command === program ? word : `${noun} ${word}`;
    if (Object.hasOwn(COMMANDS, guess)) return `Did you mean: ${COMMANDS[guess]}?`;
  }
  if (option !== undefined) {
    if (SESSION_FLAGS.test(option) && command.parent?.name() === "users" && noun !== "delete")
      return `Use: svc sessions search ${argv.slice(argv.indexOf(option)).join(" ")}`;
    if (SEARCH_FLAGS.test(option) && command.name() === "list")
      return `Use: svc ${command.parent!.name()} search ${argv.slice(argv.indexOf(option)).join(" ")}`;
    if (SEARCH_FLAGS.test(option) && command.name() === "delete")
      return "Use a query: svc users delete --query 'email:*@acme.com' --dry-run";
    if (option === "--force") return hintForForce(command);
    if (Object.hasOwn(OPTIONS, option)) return `Use ${OPTIONS[option]}.`;
  }
  const [, value, choices] = /argument '([^']*)' is invalid\. Allowed choices are ([^.]*)/.exec(text) ?? [];
  const near = value && choices && closest(value, choices.split(", "));
  if (near) return `Did you mean ${near}?`;
  if (/unknown option '-\d/.test(text) && path === "svc dev clock advance")
    return "advance moves the clock forwards. To move it back, set it: svc dev clock set <time>";
  if (/too many arguments/.test(text) && command.name() === "list")
    return `To search: svc ${command.parent!.name()} search ${argv.at(-1)}`;
  if (/too many arguments/.test(text) && BY_INSTANCE.has(path))
    return `Use: ${path} --instance ${wordAfter(command, argv)}`;
  return `See ${path} --help.`;
}

/** The default command of a group was given a word that is none of its commands. */
function ofGroup(text: string, argv: readonly string[], command: Command): string {
  const [, name] = /^error: too many arguments for '([^']*)'/.exec(text) ?? [];
  return name === undefined || name === command.name() ? text : `error: unknown command '${wordAfter(command, argv)}'`;
}

function wordAfter(command: Command, argv: readonly string[]): string | undefined {
  return argv.slice(argv.indexOf(command.name()) + 1).find((word) => !word.startsWith("-"));
}

/** What another program's --force is here. */
function hintForForce(command: Command): string {
  const path = commandPath(command);
  if (path === "svc init") return "Files are never overwritten: move them, or choose another directory with --dir.";
  const has = (flag: string): boolean => command.options.some(({ long }) => long === flag);
  if (!has("--yes")) return `See ${path} --help.`;
  return has("--expect") ? "Use --yes, with --expect for a query." : "Use --yes.";
}

/** The command that the first words lead to. */
function commandOf(argv: readonly string[], program: Command): Command {
  let command = program;
  for (const [i, word] of argv.entries()) {
    const child = command.commands.find((one) => one.name() === word);
    if (child) command = child;
    // What follows an option may be its value.
    else if (!word.startsWith("-") && !argv[i - 1]?.startsWith("-")) break;
  }
  return command;
}

/** `unknown command 'x'` and commander's own guess below it, as sentences. */
function sentence(text: string): string {
  const [first = "", ...guesses] = text.split("\n");
  const ended = /[.?!]$/.test(first) ? first : `${first}.`;
  return [ended.charAt(0).toUpperCase() + ended.slice(1), ...guesses.map((guess) => guess.replace(/[()]/g, ""))]
    .filter(Boolean)
    .join(" ");
}

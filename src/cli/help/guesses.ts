import type { Command } from "commander";
import { enumerated } from "../../wire/text/suggestion.ts";
import { quoted } from "../output/text.ts";
import { commandPath, everyCommand } from "./command-map.ts";

const PERSONA = "svc sign-in, where you choose one";
const REVOKE = "svc dev sessions revoke <session_id>, which needs the control API";

/**
 * What to use instead of commands that people guess and that do not exist, or a sentence where nothing does the same. Commander
 * finds spelling mistakes.
 */
export const GUESSED_COMMANDS = rows({
  "list|ls": "svc users list, or svc sessions list",
  keys: "svc env, which prints the keys of the local server; to replace them: svc dev keys rotate",
  key: "svc whoami",
  config: "svc login, svc profiles or svc whoami",
  query: "svc users search --explain, or svc sessions search --explain",
  use: "svc profiles use <name>; for an instance of the local server: --instance <name>",
  switch: "svc profiles use <name>",
  auth: "svc login, svc logout or svc whoami",
  status: "svc doctor, or svc whoami",
  ping: "svc doctor",
  "health|ready": "svc doctor; to wait for a service: svc doctor --wait 60s",
  wait: "--wait <duration>, which every command takes: svc users list --wait 60s",
  "start|up": "svc serve",
  run: "svc serve, or svc exec -- <command>",
  stop: "Ctrl-C in the terminal of svc serve",
  signin: "svc sign-in",
  signup: "svc sign-in, which makes a user at the first sign-in",
  dashboard: "svc open dashboard",
  personas: PERSONA,
  flows: "svc logs",
  "audit|history": "svc logs, which needs the control API",
  stats: "svc users list --count, or svc sessions search --since 7d --count",
  metrics: "svc serve --metrics",
  whose: "svc tokens verify - < token.txt",
  man: "svc help <command>",
  undo: "svc store import <backup>; a deletion cannot be undone",
  backup: "svc store export",
  "dev flows": "svc logs",
  "dev personas": PERSONA,
  "users count": "svc users search <term> --count, or svc users list --count",
  "users sessions": "svc sessions search --email <address>",
  "users logs": "svc logs --user <user>",
  "users export|download": "svc users list --output csv; of one user: svc users get <user> --sessions --json",
  "users create": "svc dev users create <email>, which needs the control API",
  "users update|edit|rename|set|verify": "svc dev users update <user>, which needs the control API",
  "users block|ban|disable|suspend|lock": `Users can't be blocked. To end a session: ${REVOKE}.`,
  "users merge": "svc users get <user> --sessions, of each; users cannot be merged",
  "users restore|undelete": "svc store import <backup>; a deletion cannot be undone",
  "users inactive": "svc users search --until 90d, without those of svc sessions search --since 90d --fields user_id",
  "users logout|signout|sign-out|revoke": `svc sessions search --email <address> --active --output ids, and then ${REVOKE}`,
  "users reset-password": "svc users get <user>, which shows the providers; they have the passwords",
  "users impersonate": "svc dev token --user <user>, on a development server",
  "sessions count": "svc sessions list --count",
  "sessions delete":
    "svc sessions prune --before 90d, or svc dev sessions revoke <session_id>, which need the control API",
  "sessions revoke|end|logout|expire|kill": REVOKE,
  "tokens revoke": `Tokens can't be revoked: each expires an hour after it was issued. To end a session: ${REVOKE}.`,
  "tokens issue|create": "svc dev token",
  "profiles switch": "svc profiles use <name>",
  "profiles current": "svc whoami",
  "profiles show": "svc whoami --profile <name>",
  "profiles add|create": "svc login --profile <name>",
});

/** What to use for an option that other commands have, by command and option; `<value>` is what was given. */
export const GUESSED_AT = rows({
  "svc api --data|-d": "-F <name>=<text>, or --input <file>; --input - reads standard input",
  "svc api -X": "the method as the first word: svc api POST /api/v1/tokens/verify",
  "svc dev seed --count|--users": "svc dev seed --generate <value>",
  "svc dev users create --email": "svc dev users create <value>",
  "svc logs --email": "--user <value>",
  "svc users delete --all": "a date, to delete everyone: svc users delete --query 'created_at>=2000-01-01' --dry-run",
  "svc users delete --email|--id": "svc users delete <value>",
  "svc users get --email|--id": "svc users get <value>",
  "svc users get --name": "svc users search --name '<value>'",
  "svc users search --id": "svc users get <value>",
  "svc users search --username": "--name <value>",
  "svc users search --created": "--since <value>, and --until for the end",
  "svc users search --created-after": "--since <value>",
  "svc users search --created-before": "--until <value>",
  "svc users search --verified": "--verified alone, or --unverified",
  "svc users search --not-verified": "--unverified",
  "svc users|sessions search --domain": "--email-domain <value>",
  "svc users list --domain": "svc users search --email-domain <value>",
  "svc sessions list --domain": "svc sessions search --email-domain <value>",
  "svc sessions search --active": "--active alone, or --revoked",
  "svc sessions search --revoked": "--revoked alone, or --active",
  "svc sessions search --inactive": "--revoked",
  "svc sessions search --country": "--json, which shows geo_data; it cannot be searched",
  "svc sessions search --user-id": "--user <value>",
  "svc sign-in --outcome": "svc dev next --outcome <value>, and then svc sign-in",
  "svc tokens verify --token": "standard input, so that no history keeps it: svc tokens verify - < token.txt",
  "svc tokens decode --token": "standard input, so that no history keeps it: svc tokens decode - < token.txt",
  "svc tokens verify --file": "standard input: svc tokens verify - < <value>",
  "svc tokens decode --file": "standard input: svc tokens decode - < <value>",
});

/** The options of other programs, and what to use here. */
export const GUESSED_OPTIONS = rows({
  "-o": "--output; a short option that takes a value would swallow a term such as -provider:github",
  "--format": "--output",
  "--csv": "--output csv",
  "--ids": "--output ids",
  "--columns|--column|--select": "--fields",
  "--server|--url|--host": "--base-url",
  "--env|--environment": "--profile",
  "--order|--order-by|--sort-by": "--sort",
  "--max|--top": "--limit",
  "--preview|--dry|--dryrun": "--dry-run",
  "--confirm|--no-confirm": "--yes",
  "--verbose|--debug": "SVC_LOG=debug, which logs each request",
  "--jq": "--fields, or --json and jq",
  "--key|--token": "SVC_SECRET_KEY, or svc login",
  "--desc|--descending|--reverse": "--sort -created_at: a minus sorts in descending order",
  "--asc": "--sort created_at",
  "--before|--to": "--until",
  "--from|--last": "--since",
  "--pretty": "--json, which is indented on a terminal",
  "--filter": "a term: svc users search 'email:*@acme.test'",
  "--all": "no option: lists are complete unless you pass --limit",
  "--page": "--limit and --after",
});

/** A row for each of the alternatives that `|` separates within a word. */
function rows(table: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const spelled = (key: string): string[] =>
    key
      .split(" ")
      .reduce<string[]>(
        (begun, part) => begun.flatMap((start) => part.split("|").map((word) => `${start} ${word}`.trimStart())),
        [""],
      );
  return new Map(Object.entries(table).flatMap(([key, guess]) => spelled(key).map((one) => [one, guess] as const)));
}

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
  const guess = GUESSED_COMMANDS.get(key);
  if (guess !== undefined) return guess;
  if (word.startsWith("eyJ")) return "svc tokens verify - < token.txt";
  if (word.includes("@"))
    return group.name() === "sessions"
      ? `svc sessions search --email ${quoted(word)}`
      : `svc users get ${quoted(word)}`;
  const words = [word, `${word}s`, ...SAME.filter((same) => same.includes(word)).flat()];
  const [, ...all] = everyCommand(program);
  const named = all.filter((command) => words.includes(command.name()));
  const near = named.filter(({ parent }) => parent!.name() === group.name());
  const found = near.length > 0 || !(isRoot || group.name() === "dev") ? near : shallowest(named);
  if (found.length === 0 || found.length > MAX_GUESSES) return undefined;
  return enumerated(found.map(typed), "or");
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

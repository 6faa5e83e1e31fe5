import type { Command } from "commander";
import { SESSION_FIELDS, USER_FIELDS, type Fields } from "../../wire/search/fields.ts";
import type { TOPIC_NAMES } from "../command-names.ts";
import { CLI_ERRORS, EXIT_MEANINGS } from "../errors.ts";
import { ENVIRONMENT } from "./environment.ts";

interface Topic {
  readonly description: string;
  readonly text: (program: Command) => string;
}

/** What `svc help <topic>` prints. */
export const TOPICS: Readonly<Record<string, Topic>> = {
  query: { description: "how to search for users and sessions", text: query },
  output: { description: "what is printed where, and in which format", text: output },
  options: { description: "the options that every command takes", text: options },
  environment: { description: "environment variables", text: environment },
  "exit-codes": { description: "what each exit code means", text: exitCodes },
} satisfies Record<(typeof TOPIC_NAMES)[number], Topic>;

function query(): string {
  return `A search is a list of terms. Terms on different fields are combined with AND, terms on one field with OR, except for
two: a lower and an upper bound with time between them are a range, and each -term excludes what matches.

${table({
  "email:ada@acme.test": "exactly this, case-insensitive",
  "name:ada*": "starts with it",
  "email:*@acme.test": "ends with it",
  "name:*love*": "contains it",
  "created_at:2026-01-31": "that day, in UTC",
  "created_at>=2026-01-01": "on or after that day; also >, < and <=",
  "revoked_at:null": "has no value",
  "-provider:github": "everything else",
})}

Users have:
${fieldsOf(USER_FIELDS)}

Sessions have:
${fieldsOf(SESSION_FIELDS)}

What is shown is not quite what can be searched for. provider, updated_at and email_verified_at of users, and created_at of
sessions, are not shown. providers and email_verified of users, and geo_data of sessions, can't be searched for. provider:github finds
the users with github among their providers, and provider:null those without one.

Quote terms with * or >, which the shell would interpret:
  svc users search 'email:*@acme.test' '-name:bot*' 'created_at>=2026-01-01'

or use flags: svc users search --email-domain acme.test --since 2026-01 --until 2026-03. --until includes the day or month that
it names. A value cannot contain a space. For names of several words: --name 'Ada Lovelace'. To see what a search means:
  svc users search --explain 'email:*@acme.test'`;
}

function output(): string {
  return `Results go to standard output, everything else to standard error.

${table({
  "--output table": "fits the terminal, with times such as 3 days ago; the default on a terminal",
  "--output wide": "a table with every column and whole values, however wide",
  "--output tsv": "tab-separated, for programs: no heading, times in ISO 8601; the default in a pipe",
  "--output csv": "the same columns with a heading, for spreadsheets: formulas are disarmed; for Excel add --bom",
  "--output json": "the API's JSON, the same as --json; --fields prunes it and keeps its form",
  "--output ndjson": "one resource a line",
})}

With --json an error is one line of JSON on standard error, the last one:
  {"error":{"code":"user_not_found","message":"User not found","exitCode":3}}

svc tokens verify --json prints its verdict on standard output, whatever it is, also that a check failed: its help has the form.

--fields id prints only the ids, for the next command. A terminal shows 50 rows unless --limit is given, and a pipe all.
Control characters are escaped. Colors are for terminals only: see svc help environment.`;
}

function options(program: Command): string {
  return table(
    Object.fromEntries(
      program
        .createHelp()
        .visibleOptions(program)
        .map(({ flags, description }) => [flags, description]),
    ),
  );
}

function environment(): string {
  return `${table(ENVIRONMENT)}

Precedence: flags, --profile, variables, the local server of this directory, the current profile. svc whoami shows
what is in use, and where each value comes from.

Node.js 22.8 and later keeps compiled code in XDG_CACHE_HOME/svc or ~/.cache/svc, so that commands start faster; it can be
deleted at any time. NODE_COMPILE_CACHE names another directory, NODE_DISABLE_COMPILE_CACHE=1 turns this off.`;
}

function exitCodes(): string {
  return `${table(EXIT_MEANINGS as Record<string, string>)}

With --json an error has a code as well: one of the service or the client, such as user_not_found, or

${table(Object.fromEntries(Object.entries(CLI_ERRORS).map(([code, [, meaning]]) => [code, meaning])))}

docs/errors.md has all of them.`;
}

function table(rows: Readonly<Record<string, string>>): string {
  const width = Math.max(...Object.keys(rows).map((name) => name.length));
  return Object.entries(rows)
    .map(([name, meaning]) => `  ${name.padEnd(width)}  ${meaning}`)
    .join("\n");
}

function fieldsOf(fields: Fields): string {
  return table(
    Object.fromEntries(
      Object.entries(fields).map(([name, { type, nullable }]) => [
        name,
        `${{ string: "text", datetime: "a date", boolean: "true or false" }[type]}${nullable ? ", or null" : ""}`,
      ]),
    ),
  );
}

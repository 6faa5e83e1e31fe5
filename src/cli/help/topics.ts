import { SESSION_FIELDS, USER_FIELDS, type Fields } from "../../wire/fields.ts";
import { ENVIRONMENT } from "./environment.ts";
import { EXIT_MEANINGS } from "./with-help.ts";

/** What `svc help <topic>` prints. */
export const TOPICS: Readonly<Record<string, { readonly description: string; readonly text: () => string }>> = {
  query: { description: "how to search for users and sessions", text: query },
  output: { description: "what is printed where, and in which form", text: output },
  environment: { description: "the variables that are read", text: environment },
  "exit-codes": { description: "what each exit code means", text: exitCodes },
};

function query(): string {
  return `A search is made of terms. All fields must match; a field given twice means either value, and bounds on one
field mean both.

${table({
  "email:ada@acme.com": "exactly this, ignoring case",
  "name:ada*": "starts with it",
  "email:*@acme.com": "ends with it",
  "name:*love*": "contains it",
  "created_at:2026-01-31": "that day, in UTC",
  "created_at>=2026-01-01": "from then on; also >, < and <=",
  "revoked_at:null": "has no value there",
  "-provider:github": "everything else",
})}

Users have:
${fieldsOf(USER_FIELDS)}

Sessions have:
${fieldsOf(SESSION_FIELDS)}

Quote terms with * or >, which shells have their own use for:
  svc users search 'email:*@acme.com' '-name:bot*' 'created_at>=2026-01-01'

or write them so that no shell touches them:
  svc users search email.ends=@acme.com not.name.starts=bot created_at.gte=2026-01-01

A value cannot contain a space: write name:*love* for "Ada Lovelace". What a search means, in words, is said by:
  svc query explain 'email:*@acme.com'`;
}

function output(): string {
  return `What was asked for goes to standard output, everything else to standard error.

${table({
  "--output table": "for a person: fits the terminal, times such as 3 days ago; the default on a terminal",
  "--output tsv": "tab-separated, without a heading, nothing cut, times in ISO 8601; the default in a pipe",
  "--output csv": "with a heading; what a spreadsheet would take for a formula is made harmless",
  "--output json": "the API's own JSON, unchanged; the same as --json",
  "--output ndjson": "one resource a line",
  "--output ids": "the ids alone, for the next command",
})}

With --json an error is one line of JSON on standard error, the last one:
  {"error":{"code":"user_not_found","message":"User not found","exitCode":3}}

Characters that a terminal would obey are written as escapes. Colour is for terminals only: see svc help environment.`;
}

function environment(): string {
  return `${table(ENVIRONMENT)}

A flag goes before a variable, and a variable before the server that runs in this directory and the current profile.
Only --profile goes before variables as a whole. svc whoami says what is in force, and where it is from.`;
}

function exitCodes(): string {
  return table(EXIT_MEANINGS as Record<string, string>);
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

import type { Command } from "commander";
import type { Page } from "../../wire/endpoints.ts";
import { CliError, EXIT } from "../errors.ts";

export interface ListFlags {
  readonly limit?: string;
  readonly after?: string;
}

export interface SearchFlags extends ListFlags {
  readonly not?: readonly string[];
  readonly query?: string;
}

/** The paging flags of a list. */
export function addListFlags(command: Command): Command {
  return command
    .option("--limit <number>", "at most so many, 1 to 1000")
    .option("--after <id>", "those that come after this one");
}

/** A search's terms and flags. */
export function addSearchFlags(command: Command): Command {
  return addListFlags(command)
    .argument("[term...]", "e.g. 'email:*@acme.com' -provider:github 'created_at>=2026-01-01'")
    .option("--not <term>", "leave out what matches, the same as -term; can be repeated", collect)
    .option("--query <query>", "the whole query in one argument");
}

/** The query on the wire. @throws {CliError} where there is none */
export function queryOf(terms: readonly string[], flags: SearchFlags, example: string): string {
  const query = [flags.query, ...terms, ...(flags.not ?? []).map((term) => `-${term}`)]
    .filter((part) => part !== undefined)
    .join(" ")
    .trim();
  if (query === "") throw new CliError(EXIT.usage, "What to search for?", `Write a term, for example: ${example}`);
  return query;
}

export function pageOf({ limit, after }: ListFlags): Page {
  if (limit !== undefined && !/^\d{1,4}$/.test(limit))
    throw new CliError(EXIT.usage, `--limit: "${limit}" is not a number from 1 to 1000.`);
  return { ...(limit !== undefined && { limit: Number(limit) }), ...(after !== undefined && { after }) };
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

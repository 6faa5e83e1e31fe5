import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseTerm, QueryError } from "../../wire/query.ts";
import { readStdin, type Context } from "../context.ts";
import { CliError } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { asRun } from "../output/format.ts";
import { harmless } from "../output/text.ts";
import { termsOf, type Searched, type SearchFlags } from "./flags.ts";
import { isFileName, notATerm } from "./shell-faults.ts";
import { toWire } from "./spelling.ts";

/**
 * The query on the wire, of terms in either spelling, flags, and a file.
 * An unknown field is not refused here: the service may have more of them.
 * @throws {CliError} where there is none, or where it can't mean anything
 */
export async function readQuery(
  context: Context,
  searched: Searched,
  terms: readonly string[],
  flags: SearchFlags,
): Promise<string> {
  const { cwd } = context;
  const file = flags.queryFile === undefined ? [] : [await readQueryFile(context, flags.queryFile)];
  const typed = [...(flags.query ?? []), ...file, ...terms].flatMap(words);
  const negated = (flags.not ?? []).flatMap(words).map((word) => `-${toWire(word)}`);
  for (const term of terms)
    if (isFileName(term, cwd))
      note(context, `"${term}" is also a file here. If your shell expanded a pattern, quote the term.`);
  const query = [...typed.map(toWire), ...negated].map((word) => checked(word, searched, context));
  const all = [...query, ...termsOf(flags, searched, context.now())];
  if (all.length === 0) throw new CliError(EXIT.usage, "No search terms.", `For example: ${searched.example}`);
  for (const term of all.slice(query.length)) checked(term, searched, context);
  return all.join(" ");
}

function checked(term: string, searched: Searched, context: Context): string {
  const field = /^-{0,2}([^:<>=]*)[:<>=]/.exec(term)?.[1];
  if (field === undefined || term.startsWith("!")) throw notATerm(term, searched, context.cwd);
  const known = Object.keys(searched.fields);
  if (/^[a-z][a-z0-9_]*$/.test(field) && !known.includes(field)) return term;
  try {
    parseTerm(term, searched.fields);
  } catch (error) {
    if (error instanceof QueryError) throw new CliError(EXIT.usage, sentence(error.message));
    throw error;
  }
  return term;
}

async function readQueryFile(context: Context, path: string): Promise<string> {
  const text =
    path === "-"
      ? await readStdin(context)
      : await readFile(resolve(context.cwd, path), "utf8").catch((error: NodeJS.ErrnoException) => {
          throw new CliError(EXIT.usage, `--query-file: "${path}" cannot be read (${error.code}).`);
        });
  if (text.trim() === "") throw new CliError(EXIT.usage, `--query-file: no terms in "${path}".`);
  return text;
}

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}

function sentence(message: string): string {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return text.endsWith(".") ? text : `${text}.`;
}

function note(context: Context, text: string): void {
  context.stderr.write(`! ${harmless(asRun(text, context))}\n`);
}

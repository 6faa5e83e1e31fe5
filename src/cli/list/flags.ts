import type { Command } from "commander";
import type { Page } from "../../wire/http/request.ts";
import { UsageError } from "../errors.ts";
import type { Collection, Column, Listed } from "./columns.ts";

/** The flags of a list, as they are typed. */
export interface ListFlags {
  readonly limit?: string;
  readonly after?: string;
  readonly sort?: string;
  readonly fields?: string;
  readonly count?: boolean;
  readonly failEmpty?: boolean;
}

/** What is to be listed, as checked flags say it. */
export interface ListShape<Row> {
  /** Of the sorted rows, if they are sorted. */
  readonly page: Page;
  readonly sort?: { readonly column: Column<Row>; readonly isDescending: boolean };
  /** Those asked for by `--fields`. */
  readonly chosen?: readonly Column<Row>[] | undefined;
}

/** Of the commands that print a list, what `--sort` and `--fields` take. */
const COLUMN_NAMES = new WeakMap<Command, readonly string[]>();

export function columnNames(command: Command): readonly string[] {
  return COLUMN_NAMES.get(command) ?? [];
}

/** The flag that chooses fields. Given several times, it chooses all of them. */
export function addFieldsFlag<Row>(command: Command, { columns }: Listed<Row>): Command {
  const names = columns.map(({ name }) => name);
  COLUMN_NAMES.set(command, names);
  return command.option(
    "--fields <names>",
    `only these fields, such as ${names[0]!},email`,
    (chosen: string, before?: string) => (before === undefined ? chosen : `${before},${chosen}`),
  );
}

export function addListFlags<Row>(command: Command, listed: Collection<Row>): Command {
  command
    .option("--limit <number>", "maximum results")
    .option("--after <id>", "start after this id")
    .option("--sort <field>", "sort by this field, -field for descending; reads all results first");
  return addFieldsFlag(command, listed)
    .option("--count", `print only the number of ${listed.noun}`)
    .option("--fail-empty", "exit with code 3 if there are no results");
}

export function shapeOf<Row>({ limit, after, sort, fields }: ListFlags, listed: Listed<Row>): ListShape<Row> {
  if (limit !== undefined && !/^[1-9]\d{0,8}$/.test(limit))
    throw new UsageError(`--limit must be 1 or greater, not "${limit}".`, "Omit it for all results.");
  if (sort !== undefined && after !== undefined)
    throw new UsageError(
      "--sort and --after are mutually exclusive: the id to start after belongs to the service's own order.",
      "Omit one of them.",
    );
  return {
    page: { ...(limit !== undefined && { limit: Number(limit) }), ...(after !== undefined && { after }) },
    ...(sort !== undefined && {
      sort: { column: named("--sort", sort.replace(/^-/, ""), listed), isDescending: sort.startsWith("-") },
    }),
    chosen: chosenBy(fields, listed),
  };
}

/** The columns that `--fields` names. */
export function chosenBy<Row>(fields: string | undefined, listed: Listed<Row>): readonly Column<Row>[] | undefined {
  return fields?.split(",").map((name) => named("--fields", name.trim(), listed));
}

function named<Row>(flag: string, name: string, { columns, searched = {} }: Listed<Row>): Column<Row> {
  const column = columns.find((candidate) => candidate.name === name);
  if (column) return column;
  throw new UsageError(
    Object.hasOwn(searched, name)
      ? `${flag}: "${name}" can be searched for, but the service does not return it.`
      : `${flag}: unknown field "${name}".`,
    `Fields: ${columns.map((candidate) => candidate.name).join(", ")}.`,
  );
}

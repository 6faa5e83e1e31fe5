import type { Command } from "commander";
import { UsageError } from "../errors.ts";
import type { Collection, Column, Listed } from "./columns.ts";

/** The flags of a list, as they are typed. */
export interface ListFlags {
  readonly limit?: string;
  readonly fields?: string;
  readonly count?: boolean;
}

/** The flag that chooses fields. Given several times, it chooses all of them. */
export function addFieldsFlag<Row>(command: Command, { columns }: Listed<Row>): Command {
  return command.option(
    "--fields <names>",
    `only these fields, such as ${columns[0]!.name},email`,
    (chosen: string, before?: string) => (before === undefined ? chosen : `${before},${chosen}`),
  );
}

export function addListFlags<Row>(command: Command, listed: Collection<Row>): Command {
  command.option("--limit <number>", `maximum results; default: all, and ${SCREEN} on a terminal`);
  return addFieldsFlag(command, listed).option("--count", `print only the number of ${listed.noun}`);
}

/** What a person is shown of a list without `--limit`. */
export const SCREEN = 50;

/** The columns that `--fields` names. */
export function chosenBy<Row>(fields: string | undefined, listed: Listed<Row>): readonly Column<Row>[] | undefined {
  return fields?.split(",").map((name) => named(name.trim(), listed));
}

function named<Row>(name: string, { columns, searched = {} }: Listed<Row>): Column<Row> {
  const column = columns.find((candidate) => candidate.name === name);
  if (column) return column;
  throw new UsageError(
    Object.hasOwn(searched, name)
      ? `--fields: "${name}" can be searched for, but the service does not return it.`
      : `--fields: unknown field "${name}".`,
    `Fields: ${columns.map((candidate) => candidate.name).join(", ")}.`,
  );
}

import { csvLine } from "../../text/harmless.ts";
import { plainText } from "../../text/json.ts";
import { relativeTime } from "../../text/time.ts";
import type { Context, Stream } from "../context.ts";
import type { OutputFlags } from "../output/flags.ts";
import { harmlessData, harmlessJson, colors, harmless } from "../output/text.ts";
import { isEnvelope, valueIn, type Column } from "./columns.ts";

/** Rows on their way through, one after the other: however many there are, few are in memory. */
export type Rows<Row> = AsyncIterable<Row> | Iterable<Row>;

export type Chunks = AsyncGenerator<string>;

/** Each in a line of JSON: as the API answers, or only the chosen fields. */
export async function* ndjson<Row>(rows: Rows<Row>, chosen: readonly Column<Row>[] | undefined): Chunks {
  for await (const row of rows) yield `${harmlessJson(picked(row, chosen))}\n`;
}

/** One array: all of it is read before the first byte, so that what arrives is JSON or nothing. */
export async function* json<Row>(
  rows: Rows<Row>,
  chosen: readonly Column<Row>[] | undefined,
  { stdout }: Context,
): Chunks {
  const all: unknown[] = [];
  for await (const row of rows) all.push(picked(row, chosen));
  yield `${harmlessJson(all, stdout.isTTY ? 2 : undefined)}\n`;
}

export async function* tsv<Row>(rows: Rows<Row>, columns: readonly Column<Row>[]): Chunks {
  for await (const row of rows)
    yield `${columns.map((column) => harmlessData(plainText(valueIn(column, row)))).join("\t")}\n`;
}

/** RFC 4180 with a heading, lines ended by a line feed. */
export async function* csv<Row>(rows: Rows<Row>, columns: readonly Column<Row>[], { bom }: OutputFlags): Chunks {
  yield (bom ? "\ufeff" : "") + csvLine(columns.map(({ name }) => name));
  for await (const row of rows) yield csvLine(columns.map((column) => plainText(valueIn(column, row))));
}

/** The chosen fields, in the form of the whole: an envelope keeps its id and resource. */
export function picked<Row>(row: Row, chosen: readonly Column<Row>[] | undefined): unknown {
  if (!chosen) return row;
  const own = isEnvelope(row) ? chosen.filter(({ name }) => Object.hasOwn(row.data, name)) : chosen;
  const values = Object.fromEntries(own.map((column) => [column.name, valueIn(column, row)]));
  return isEnvelope(row) ? { id: row.id, resource: row.resource, data: values } : values;
}

export interface TableOptions extends Pick<OutputFlags, "utc"> {
  /** Whether it may be wider than the terminal. */
  readonly isWide?: boolean;
  /** Told in words what a table leaves out on a narrow terminal. */
  onNarrow?(what: string): void;
}

/** A line for each row, as wide as the terminal. Nothing without rows. */
export async function* table<Row>(
  rows: Rows<Row>,
  columns: readonly Column<Row>[],
  context: Context,
  { utc, isWide, onNarrow }: TableOptions = {},
): Chunks {
  const now = utc ? undefined : context.now();
  const cells: string[][] = [];
  for await (const row of rows) cells.push(columns.map((column) => harmless(wordsOf(column, row, now))));
  if (cells.length === 0) return;
  // What it measures with takes longer to load than most commands, and a pipe gets no table.
  const { layOut } = await import("./layout.ts");
  const titles = columns.map(({ title, name }) => title ?? name.toUpperCase());
  const { shown, isShortened, isCut, line } = layOut(columns, [titles, ...cells], isWide ? Infinity : widthOf(context));
  const hidden = columns.filter((_, i) => !shown.includes(i)).map(({ name }) => name);
  const what = [
    hidden.length > 0 && `Hidden: ${hidden.join(", ")}.`,
    isShortened && "Ids are shortened.",
    isCut && !isShortened && "Long values are cut.",
  ].filter(Boolean);
  if (what.length > 0) onNarrow?.(`${what.join(" ")} See all: --output wide`);
  yield `${colors(context.stdout, context).dim(line(titles))}\n`;
  for (const row of cells) yield `${line(row)}\n`;
}

/** As wide as `COLUMNS` says, else as the terminal; without one there is no limit. */
export function widthOf({ stdout, env }: Pick<Context, "stdout" | "env">): number {
  const named = /^[1-9]\d{0,4}$/.test(env["COLUMNS"] ?? "") ? Number(env["COLUMNS"]) : undefined;
  return named ?? (stdout.isTTY ? (stdout.columns ?? 80) : Infinity);
}

export function wordsOf<Row>(column: Column<Row>, row: Row, now: Date | undefined): string {
  const value = valueIn(column, row);
  if (Array.isArray(column.as) && typeof value === "boolean") return String(column.as[value ? 0 : 1]);
  const text = plainText(value);
  return column.as === "time" && now && text !== "" ? relativeTime(new Date(text), now) : text;
}

/** Small writes cost more than what they carry. */
const BATCH = 32_768;

/** Writes as fast as it is read. If the reader has gone, it ends, and so does the source of the chunks. */
export async function writeAll(target: Pick<Stream, "write" | "ready">, chunks: AsyncIterable<string>): Promise<void> {
  let batch = "";
  for await (const chunk of chunks) {
    batch += chunk;
    if (batch.length < BATCH) continue;
    target.write(batch);
    batch = "";
    if (target.ready && !(await target.ready())) return;
  }
  if (batch !== "") target.write(batch);
}

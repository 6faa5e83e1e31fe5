import { Chalk, type ChalkInstance } from "chalk";
import stringWidth from "string-width";
import type { Context, Stream } from "./context.ts";

/** One column of a list: its heading, and the text of a row. */
export interface Column<Row> {
  readonly title: string;
  /** Never cut: the next command takes it. */
  readonly whole?: true;
  text(row: Row): string;
}

/** Columns give way to a narrow terminal down to this width. */
const MIN_WIDTH = 8;
const GAP = "  ";

/** Colours of a stream. Our own policy: chalk does not know `NO_COLOR`, and looks at `argv` by itself. */
export function colors(stream: Stream, { env }: Context): ChalkInstance {
  const isSet = (name: string): boolean => Boolean(env[name]) && env[name] !== "0";
  const isForced = isSet("FORCE_COLOR") || (isSet("CLICOLOR_FORCE") && env["FORCE_COLOR"] !== "0");
  const isRefused =
    Boolean(env["NO_COLOR"] || env["SVC_NO_COLOR"]) ||
    env["TERM"] === "dumb" ||
    env["CLICOLOR"] === "0" ||
    env["FORCE_COLOR"] === "0";
  return new Chalk({ level: isForced || (stream.isTTY && !isRefused) ? 1 : 0 });
}

/** The API's body, unchanged: indented for a person, in one line for a program. */
export function printJson(context: Context, body: unknown): void {
  context.stdout.write(`${harmlessJson(body, context.stdout.isTTY ? 2 : undefined)}\n`);
}

/** JSON leaves some characters to the reader that a terminal would act on. The line ends of its own indentation stay. */
export function harmlessJson(body: unknown, indent?: number): string {
  return JSON.stringify(body, null, indent).replace(HARMFUL, (character) =>
    character === "\n" ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** A table on a terminal; elsewhere tab-separated values without a heading. */
export function printRows<Row>(
  context: Context,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  none: string,
): void {
  const { stdout, stderr } = context;
  if (!stdout.isTTY) {
    for (const row of rows) stdout.write(`${columns.map((column) => harmless(column.text(row))).join("\t")}\n`);
    return;
  }
  if (rows.length === 0) return void stderr.write(`${none}\n`);
  const cells = rows.map((row) => columns.map((column) => harmless(column.text(row))));
  const widths = fit(
    columns.map((column, i) => Math.max(stringWidth(column.title), ...cells.map((line) => stringWidth(line[i]!)))),
    columns.map(({ whole }) => whole === true),
    stdout.columns ?? 80,
  );
  const chalk = colors(stdout, context);
  const line = (texts: readonly string[]): string =>
    texts
      .map((text, i) => (i === texts.length - 1 ? cut(text, widths[i]!) : pad(text, widths[i]!)))
      .join(GAP)
      .trimEnd();
  stdout.write(`${chalk.dim(line(columns.map((column) => column.title)))}\n`);
  for (const texts of cells) stdout.write(`${line(texts)}\n`);
}

/** One record, a line for each of its values. */
export function printRecord(context: Context, values: Readonly<Record<string, string>>): void {
  const { stdout } = context;
  const chalk = colors(stdout, context);
  const width = stdout.isTTY ? Math.max(...Object.keys(values).map((name) => name.length)) + GAP.length : 0;
  for (const [name, value] of Object.entries(values)) {
    stdout.write(
      stdout.isTTY ? `${chalk.dim(name.padEnd(width))}${harmless(value)}\n` : `${name}\t${harmless(value)}\n`,
    );
  }
}

/** C0 and C1 controls, and what changes the direction or vanishes: names come from strangers. */
// eslint-disable-next-line no-control-regex
const HARMFUL = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Text that a terminal shows and does not obey. */
export function harmless(text: string): string {
  return text.replace(HARMFUL, (character) => `\\u{${character.charCodeAt(0).toString(16)}}`);
}

/** Takes from the widest columns until a line fits. */
function fit(widths: readonly number[], fixed: readonly boolean[], available: number): number[] {
  const fitted = [...widths];
  const total = (): number => fitted.reduce((sum, width) => sum + width, GAP.length * (fitted.length - 1));
  while (total() > available) {
    const widest = Math.max(...fitted.filter((_, i) => !fixed[i]));
    if (widest <= MIN_WIDTH) break;
    fitted[fitted.findIndex((width, i) => width === widest && !fixed[i])] = widest - 1;
  }
  return fitted;
}

function pad(text: string, width: number): string {
  const short = cut(text, width);
  return short + " ".repeat(width - stringWidth(short));
}

function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let short = "";
  for (const character of text) {
    if (stringWidth(short + character) > width - 1) break;
    short += character;
  }
  return `${short}…`;
}

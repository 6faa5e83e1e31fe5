import type { VNode } from "preact";
import type { QueryOf } from "../../../wire/control/routes.ts";
import { control } from "../../api/client.ts";
import { Button } from "../../ui/button.tsx";
import { notify } from "../../ui/notices.tsx";

const MOST = 100_000;

/** Saves what the current search finds, as JSON or CSV. */
export function ExportButtons({ noun, query }: { noun: "users" | "sessions"; query: QueryOf<"GET /users"> }): VNode {
  const save = async (format: "json" | "csv"): Promise<void> => {
    const rows: Row[] = [];
    for await (const row of control.rows(`GET /${noun}`, query)) if (rows.push(row) === MOST) break;
    const text = format === "json" ? `${JSON.stringify(rows, null, 2)}\n` : toCsv(rows.map(flat));
    download(`${noun}.${format}`, text, format === "json" ? "application/json" : "text/csv");
    notify(
      "good",
      `${rows.length.toLocaleString("en")} ${noun} exported${rows.length === MOST ? ", which is the most the browser saves; use svc store export for all" : ""}`,
    );
  };
  return (
    <>
      <Button onClick={() => save("csv")}>Export CSV</Button>
      <Button onClick={() => save("json")}>Export JSON</Button>
    </>
  );
}

interface Row {
  readonly id: string;
  readonly data: Readonly<Record<string, unknown>>;
}

function flat({ id, data }: Row): Record<string, string> {
  const cells = Object.entries(data).map(([name, value]) => [name, textOf(value)]);
  return { id, ...(Object.fromEntries(cells) as Record<string, string>) };
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** RFC 4180; what a spreadsheet would take for a formula begins with an apostrophe. */
export function toCsv(rows: readonly Readonly<Record<string, string>>[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = [names, ...rows.map((row) => names.map((name) => row[name] ?? ""))];
  return lines.map((cells) => cells.map(csvCell).join(",")).join("\r\n") + "\r\n";
}

function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function download(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

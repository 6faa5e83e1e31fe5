import type { VNode } from "preact";
import type { QueryOf } from "../../wire/control/types.ts";
import { csvLine } from "../../wire/text/harmless.ts";
import { plainText } from "../../wire/text/json.ts";
import { control } from "../api/client.ts";
import { Button } from "../ui/button.tsx";
import { notify } from "../ui/notices.tsx";
import { preferredInstance } from "../api/service.ts";
import { refine } from "../router.ts";
import { Select } from "../ui/field.tsx";
import { instanceChoices } from "./choices.ts";

const MOST = 100_000;

/** Saves the results of the current search as JSON or CSV. */
export function ExportButtons({ noun, query }: { noun: "users" | "sessions"; query: QueryOf<"GET /users"> }): VNode {
  const save = async (format: "json" | "csv"): Promise<void> => {
    const rows: Row[] = [];
    for await (const row of control.rows(`GET /${noun}`, query)) if (rows.push(row) === MOST) break;
    const text = format === "json" ? `${JSON.stringify(rows, null, 2)}\n` : toCsv(rows);
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

function toCsv(rows: readonly Row[]): string {
  const names = ["id", ...new Set(rows.flatMap(({ data }) => Object.keys(data)))];
  const cells = rows.map(({ id, data }) => names.map((name) => plainText(name === "id" ? id : data[name])));
  return [names, ...cells].map((line) => csvLine(line)).join("");
}

function download(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Selects the instance whose users or sessions a view lists. Other lists and forms then begin with it. */
export function InstanceFilter({ value }: { value: string }): VNode {
  return (
    <Select
      inline
      label="Instance"
      value={value}
      choices={instanceChoices()}
      onChange={(id) => {
        preferredInstance.value = id;
        refine({ instance: id });
      }}
    />
  );
}

import type { ComponentChildren } from "preact";
import type { QueryOf } from "../../wire/control/types.ts";
import { csvLine } from "../../wire/text/harmless.ts";
import { plainText } from "../../wire/text/json.ts";
import { control } from "../api/client.ts";
import { currentInstance, preferredInstance } from "../api/service.ts";
import { location, refine } from "../router.ts";
import { Button, notify } from "../ui/button.tsx";
import { Select } from "../ui/field.tsx";
import { Heading } from "../ui/parts.tsx";
import { explain, QueryInput, type QueryInputProps } from "../ui/query-input.tsx";
import { searchFor, counted } from "../ui/text.ts";
import { instanceChoices } from "./choices.ts";

type Query = NonNullable<QueryOf<"GET /users/count">>;

/** A view of the records of one instance, searched by the server. */
export function SearchView(
  props: Pick<QueryInputProps, "noun" | "fields" | "values"> & {
    title: string;
    note: string;
    actions?: ComponentChildren;
    children: (query: Query) => ComponentChildren;
  },
) {
  const { title, note, actions, children, ...input } = props;
  const { query: text = "", instance: wanted } = location.value.query;
  const instance = wanted ?? preferredInstance.value;
  const query = { ...searchFor(text), instance };
  return (
    <>
      <Heading title={title} note={note}>
        <Button onClick={() => save("csv", input.noun, query)}>Export CSV</Button>
        <Button onClick={() => save("json", input.noun, query)}>Export JSON</Button>
        {actions}
      </Heading>
      <div class="search-row">
        <QueryInput {...input} value={text} onSearch={(changed) => refine({ query: changed })} />
        <Select
          inline
          label="Instance"
          value={currentInstance(instance)}
          choices={instanceChoices()}
          onChange={(id) => {
            preferredInstance.value = id;
            refine({ instance: id });
          }}
        />
      </div>
      {/* What is wrong with a search is said beside it. */}
      {explain(text, input.fields, input.noun).problem === undefined && children(query)}
    </>
  );
}

const MOST = 100_000;

/** Saves the results of a search. */
async function save(format: "json" | "csv", noun: "users" | "sessions", query: Query): Promise<void> {
  const rows: Row[] = [];
  for await (const row of control.rows(`GET /${noun}`, query)) if (rows.push(row) === MOST) break;
  const text = format === "json" ? `${JSON.stringify(rows, null, 2)}\n` : toCsv(rows);
  const url = URL.createObjectURL(new Blob([text], { type: format === "json" ? "application/json" : "text/csv" }));
  Object.assign(document.createElement("a"), { href: url, download: `${noun}.${format}` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
  notify(
    "good",
    `${counted(rows.length, noun.slice(0, -1))} exported${rows.length === MOST ? ", which is the most the browser saves; use svc store export for all" : ""}`,
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

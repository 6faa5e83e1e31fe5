import type { ComponentChildren } from "preact";
import type { QueryOf } from "../../wire/control/types.ts";
import { csvLine } from "../../text/harmless.ts";
import { plainText } from "../../text/json.ts";
import { control } from "../api/client.ts";
import { currentInstance, preferredInstance } from "../api/service.ts";
import { location, refine } from "../router.ts";
import { Button, notify } from "../ui/button.tsx";
import { Select } from "../ui/field.tsx";
import { TextFilter } from "../ui/live-panel.tsx";
import { PageHeading } from "../ui/parts.tsx";
import { counted, searchFor } from "../ui/text.ts";
import { instanceChoices } from "./choices.ts";

type Query = NonNullable<QueryOf<"GET /users/count">>;

/** A view of the records of one instance, searched by the server, which says what is wrong with a search. */
export function SearchView(props: {
  noun: "users" | "sessions";
  title: string;
  note: string;
  actions?: ComponentChildren;
  children: (query: Query) => ComponentChildren;
}) {
  const { noun, title, note, actions, children } = props;
  const { query: text = "", instance: wanted } = location.value.query;
  const instance = wanted ?? preferredInstance.value;
  const search = { ...searchFor(text, noun === "users" ? "id" : "user_id"), instance };
  return (
    <>
      <PageHeading title={title} note={note}>
        <Button onClick={() => save(noun, search)}>Export CSV</Button>
        {actions}
      </PageHeading>
      <div class="filters">
        <TextFilter
          name="query"
          label={`Search ${noun}`}
          placeholder="Name, e-mail address or query"
          value={text}
          onChange={(query) => refine({ query, after: undefined })}
        />
        <Select
          inline
          label="Instance"
          value={currentInstance(instance)}
          choices={instanceChoices()}
          onChange={(id) => {
            preferredInstance.value = id;
            refine({ instance: id, after: undefined });
          }}
        />
      </div>
      {children(search)}
    </>
  );
}

const MOST = 100_000;

/** Saves the results of a search. */
async function save(noun: "users" | "sessions", query: Query): Promise<void> {
  const rows: Row[] = [];
  for await (const row of control.rows(`GET /${noun}`, query)) if (rows.push(row) === MOST) break;
  const url = URL.createObjectURL(new Blob([toCsv(rows)], { type: "text/csv" }));
  Object.assign(document.createElement("a"), { href: url, download: `${noun}.csv` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
  const rest = rows.length === MOST ? ", which is the most the browser saves; use svc store export for all" : "";
  notify("good", `${counted(rows.length, noun.slice(0, -1))} exported${rest}`);
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

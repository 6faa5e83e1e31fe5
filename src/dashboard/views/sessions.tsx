import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { SESSION_FIELDS } from "../../wire/search/fields.ts";
import { currentInstance, preferredInstance, service } from "../api/service.ts";
import { location, refine } from "../router.ts";
import { Empty, Heading, Panel } from "../ui/parts.tsx";
import { QueryInput } from "../ui/query-input.tsx";
import { searchFor } from "../ui/search-text.ts";
import { ExportButtons } from "./users/export.tsx";
import { InstanceFilter } from "./users/instance-filter.tsx";
import { SessionTable } from "./users/session-table.tsx";

/** Sessions, the most recent sign-in first. */
export function Sessions(): VNode {
  const { query = "", instance: wanted } = location.value.query;
  const instance = wanted ?? preferredInstance.value;
  const problem = useSignal<Error | undefined>(undefined);
  return (
    <>
      <Heading
        title="Sessions"
        note="One for each user, provider and address. Revoke one to test what your application does."
      >
        <ExportButtons noun="sessions" query={{ ...searchFor(query), instance }} />
      </Heading>
      <div class="search-row">
        <QueryInput
          noun="sessions"
          fields={SESSION_FIELDS}
          values={{ provider: [...service.value.providers, "password"], active: ["true", "false"] }}
          value={query}
          onSearch={(text) => refine({ query: text })}
          error={problem.value}
        />
        <InstanceFilter value={currentInstance(instance)} />
      </div>
      <Panel flush>
        <SessionTable
          withUser
          query={{ ...searchFor(query), instance }}
          onRefusal={(error) => void (problem.value = error)}
          empty={
            <Empty icon="sessions" title={query ? "No session matches" : "No sessions yet"}>
              {query ? "Different fields must all match." : "A session begins with a sign-in."}
            </Empty>
          }
        />
      </Panel>
    </>
  );
}

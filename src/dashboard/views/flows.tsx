import type { VNode } from "preact";
import type { Flow } from "../api/records.ts";
import { choicesOf } from "../ui/field.tsx";
import { chosen, FilterBar, type Filter } from "../ui/filter-bar.tsx";
import { useLiveList } from "../ui/live-list.ts";
import { LivePanel } from "../ui/live-panel.tsx";
import { Empty, Heading } from "../ui/parts.tsx";
import { instanceChoices, outcomeChoices, providerChoices } from "./choices.ts";
import { FlowTable } from "./flows/flow-table.tsx";

/** Every sign-in as it happens, newest first. */
export function Flows(): VNode {
  const filters: readonly Filter[] = [
    { name: "result", label: "Result", choices: choicesOf(["token", "error", "open"], "Any result") },
    { name: "provider", label: "Provider", choices: providerChoices("Any provider") },
    { name: "instance", label: "Instance", choices: instanceChoices("Any instance") },
    { name: "outcome", label: "Requested outcome", choices: outcomeChoices("Any outcome") },
    { name: "user", label: "User id" },
  ];
  const query = chosen(filters);
  const list = useLiveList("flow", query, (flow) => isMatch(flow, query));
  return (
    <>
      <Heading title="Flows" note="Each sign-in from its start to the application, with the reason when it fails." />
      <FilterBar filters={filters} />
      <LivePanel
        list={list}
        noun="sign-in"
        empty={
          <Empty
            icon="flows"
            title={Object.values(query).some(Boolean) ? "No sign-in matches these filters" : "No sign-ins yet"}
          >
            <a href="#/try-it">Try one</a>, or sign in through your application.
          </Empty>
        }
      >
        <FlowTable label="Flows" flows={list.rows} />
      </LivePanel>
    </>
  );
}

function isMatch({ data }: Flow, filters: Readonly<Record<string, string | undefined>>): boolean {
  const { result, provider, instance, outcome, user } = filters;
  return (
    (!result || data.result === result) &&
    (!provider || data.provider === provider) &&
    (!instance || data.instance === instance) &&
    (!outcome || data.requested_outcome === outcome) &&
    (!user || data.user_id === user)
  );
}

import type { VNode } from "preact";
import { isFlowMatch, type FlowFilter } from "../../wire/control/flows.ts";
import { chosen, FilterBar, type Filter } from "../ui/filter-bar.tsx";
import { useLiveList } from "../ui/live-list.ts";
import { LivePanel } from "../ui/live-panel.tsx";
import { Empty, Heading } from "../ui/parts.tsx";
import { instanceChoices, outcomeChoices, providerChoices } from "./choices.ts";
import { FlowTable } from "./flows/flow-table.tsx";

const RESULTS = [
  { value: "", text: "Any result" },
  { value: "token", text: "Signed in" },
  { value: "error", text: "Failed" },
  { value: "open", text: "In progress" },
];
const TIMES = [
  { value: "", text: "Any time" },
  { value: "15m", text: "Last 15 minutes" },
  { value: "1h", text: "Last hour" },
  { value: "24h", text: "Last day" },
];

/** Every sign-in as it happens, newest first. */
export function Flows(): VNode {
  const filters: readonly Filter[] = [
    { name: "user", label: "Name, e-mail, login or id" },
    { name: "reason", label: "Reason contains" },
    { name: "result", label: "Result", choices: RESULTS },
    { name: "since", label: "Time", choices: TIMES },
    { name: "provider", label: "Provider", choices: providerChoices("Any provider") },
    { name: "instance", label: "Instance", choices: instanceChoices("Any instance") },
    { name: "outcome", label: "Requested outcome", choices: outcomeChoices("Any outcome") },
  ];
  const query = chosen(filters);
  const list = useLiveList("flow", query, ({ data }) => isFlowMatch(data, live(query)));
  return (
    <>
      <Heading
        title="Flows"
        note="A flow is one sign-in, from its start to the application, with the reason when it fails."
      />
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

/** The filters for what happens now, which is within any time. */
function live(query: Readonly<Record<string, string | undefined>>): FlowFilter {
  return { ...query, since: undefined };
}

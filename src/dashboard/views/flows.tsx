import type { VNode } from "preact";
import { isFlowMatch, type FlowFilter } from "../../wire/control/flows.ts";
import { chosen, FilterBar, LivePanel, type Filter } from "../ui/live-panel.tsx";
import { useLiveList } from "../ui/live-list.ts";
import { Empty, Heading, Pill } from "../ui/parts.tsx";
import { instanceChoices, outcomeChoices, providerChoices } from "./choices.ts";
import { providerTitle } from "../../wire/providers.ts";
import type { Flow } from "../api/client.ts";
import { instanceName } from "../api/service.ts";
import { href } from "../router.ts";
import { RowLink, Table, type Column } from "../ui/table.tsx";
import { duration, ExactTime } from "../ui/time.tsx";
import { UserText } from "../ui/user-text.tsx";

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

const WHEN: Column<Flow> = {
  title: "When",
  cell: ({ id, data }) => (
    <RowLink address={href(["flows", id])}>
      <ExactTime at={data.started_at} />
    </RowLink>
  ),
};
const RESULT: Column<Flow> = { title: "Result", cell: (flow) => <FlowResult flow={flow} /> };
const WHO: Column<Flow> = {
  title: "Account",
  cell: ({ data }) =>
    data.as ? <UserText text={data.as} /> : <span class="clip">{data.result === "open" ? "not chosen yet" : "—"}</span>,
  fill: "always",
};
const PROVIDER: Column<Flow> = { title: "Provider", cell: ({ data }) => providerTitle(data.provider ?? "") };
const ALL: readonly Column<Flow>[] = [
  WHEN,
  RESULT,
  WHO,
  PROVIDER,
  { title: "Instance", cell: ({ data }) => <UserText text={instanceName(data.instance)} /> },
  {
    title: "Reason",
    cell: ({ data }) => <span class="clip lines">{data.reason}</span>,
    fill: "always",
  },
  { title: "Took", cell: (flow) => duration(tookMs(flow)), isExtra: true, align: "end" },
];
const SHORT = [WHEN, RESULT, WHO, PROVIDER];

export function FlowTable({ label, flows, short }: { label: string; flows: readonly Flow[]; short?: boolean }): VNode {
  return (
    <Table
      label={label}
      columns={short ? SHORT : ALL}
      isShort={short ?? false}
      rows={flows}
      idOf={(flow) => flow.id}
      linkOf={(flow) => href(["flows", flow.id])}
      toneOf={(flow) => (flow.data.result === "error" ? "bad" : undefined)}
    />
  );
}

export function FlowResult({ flow: { data } }: { flow: Flow }): VNode {
  if (data.result === "token") return <Pill tone="good">signed in</Pill>;
  if (data.result === "open") return <Pill tone="warn">in progress</Pill>;
  return <Pill tone="bad">{data.error ?? "rejected"}</Pill>;
}

function tookMs({ data }: Flow): number {
  return data.steps.reduce((sum, { ms }) => sum + ms, 0);
}

import { accountOf, isFlowMatch } from "../../wire/control/flows.ts";
import { chosen, FilterBar, LivePanel, type Filter } from "../ui/live-panel.tsx";
import { SPANS } from "./sign-in-chart.tsx";
import { choicesOf } from "../ui/field.tsx";
import { useLiveList } from "../ui/live-list.ts";
import { Empty, Heading, Pill } from "../ui/parts.tsx";
import { instanceChoices, outcomeChoices, providerChoices } from "./choices.ts";
import { providerTitle } from "../../wire/providers.ts";
import type { Flow } from "../api/client.ts";
import { instanceName } from "../api/service.ts";
import { href } from "../router.ts";
import { RowLink, Table, type Column } from "../ui/table.tsx";
import { duration, ExactTime, UserText } from "../ui/values.tsx";

const RESULTS = [
  { value: "token", text: "Signed in" },
  { value: "error", text: "Failed" },
  { value: "open", text: "In progress" },
];

/** Every sign-in as it happens, newest first. */
export function Flows() {
  const filters: readonly Filter[] = [
    { name: "user", label: "Name, e-mail or id" },
    { name: "reason", label: "Reason contains" },
    { name: "result", label: "Result", choices: choicesOf(RESULTS, "Any result") },
    { name: "since", label: "Time", choices: choicesOf(SPANS, "Any time") },
    { name: "provider", label: "Provider", choices: providerChoices("Any provider") },
    { name: "instance", label: "Instance", choices: instanceChoices("Any instance") },
    { name: "outcome", label: "Requested outcome", choices: outcomeChoices("Any outcome") },
  ];
  const query = chosen(filters);
  // What happens now is within any time.
  const list = useLiveList("flow", query, ({ data }) => isFlowMatch(data, { ...query, since: undefined }));
  return (
    <>
      <Heading title="Sign-ins" note="From the start to the application, with the reason when one fails." />
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
        {(flows) => <FlowTable label="Sign-ins" flows={flows} />}
      </LivePanel>
    </>
  );
}

const COLUMNS: readonly Column<Flow>[] = [
  {
    title: "When",
    cell: ({ id, data }) => (
      <RowLink address={href(["flows", id])}>
        <ExactTime at={data.started_at} />
      </RowLink>
    ),
  },
  { title: "Result", cell: (flow) => <FlowResult flow={flow} /> },
  {
    title: "Account",
    cell: ({ data }) => (
      <>
        {data.as ? (
          <UserText text={accountOf(data)} />
        ) : (
          <span class="faint">{data.result === "open" ? "not chosen yet" : "no account"}</span>
        )}
        {data.reason && <small class="lines muted">{data.reason}</small>}
      </>
    ),
    isWide: true,
  },
  { title: "Provider", cell: ({ data }) => providerTitle(data.provider ?? "") },
  { title: "Instance", cell: ({ data }) => <UserText text={instanceName(data.instance)} /> },
  {
    title: "Took",
    cell: ({ data }) => duration(data.steps.reduce((sum, { ms }) => sum + ms, 0)),
    align: "end",
  },
];

export function FlowTable({ label, flows }: { label: string; flows: readonly Flow[] }) {
  return (
    <Table
      label={label}
      columns={COLUMNS}
      rows={flows}
      toneOf={({ data }) => (data.result === "error" && data.error !== CANCELED ? "bad" : undefined)}
    />
  );
}

/** What a user decides is no failure. */
const CANCELED = "access_denied";

export function FlowResult({ flow: { data } }: { flow: Flow }) {
  if (data.result === "token") return <Pill tone="good">signed in</Pill>;
  if (data.result === "open") return <Pill tone="warn">in progress</Pill>;
  if (data.error === CANCELED) return <Pill>cancelled</Pill>;
  return <Pill tone="bad">{data.error ?? "rejected"}</Pill>;
}

import { accountOf, isFlowMatch, resultOf } from "../../wire/control/flows.ts";
import { chosen, FilterBar, LivePanel, type ShownFilter } from "../ui/live-panel.tsx";
import { SPANS } from "./sign-in-chart.tsx";
import { choicesOf } from "../ui/field.tsx";
import { useLiveList } from "../ui/live-list.ts";
import { Empty, PageHeading, Pill } from "../ui/parts.tsx";
import { instanceChoices, outcomeChoices, providerChoices } from "./choices.ts";
import { providerTitle } from "../../wire/providers.ts";
import type { Flow } from "../api/client.ts";
import { instanceName } from "../api/service.ts";
import { href } from "../router.ts";
import { RowLink, Table, type Column } from "../ui/table.tsx";
import { shownDuration, ExactTime, recentTime, UserText } from "../ui/values.tsx";

const RESULTS = [
  { value: "token", text: "Signed in" },
  { value: "error", text: "Failed" },
  { value: "open", text: "In progress" },
  { value: "abandoned", text: "Abandoned" },
];

const ASKED = [
  { value: "none", text: "Not asked for" },
  { value: "any", text: "Asked for" },
];

/** Every sign-in as it happens, newest first. */
export function FlowsPage() {
  const filters: readonly ShownFilter[] = [
    { name: "user", label: "Name, e-mail or id" },
    { name: "reason", label: "Reason contains" },
    { name: "result", label: "Result", choices: choicesOf(RESULTS, "Any result") },
    { name: "since", label: "Time", choices: choicesOf(SPANS, "Any time") },
    { name: "provider", label: "Provider", choices: providerChoices("Any provider") },
    { name: "instance", label: "Instance", choices: instanceChoices("Any instance") },
    { name: "asked_by", label: "Asked for", choices: choicesOf(ASKED, "Asked for or not") },
    { name: "outcome", label: "Asked-for outcome", choices: outcomeChoices("Asked-for outcome") },
  ];
  const query = chosen(filters);
  // What happens now is within any time.
  const list = useLiveList("flow", query, ({ data }) => isFlowMatch(data, { ...query, since: undefined }));
  return (
    <>
      <PageHeading title="Sign-ins" note="From the start to the application, with the reason when one fails." />
      <FilterBar filters={filters} />
      {query["user"] && (
        <p>
          Of the same: <a href={href(["users"], { query: query["user"] })}>users</a>,{" "}
          <a href={href(["sessions"], { query: query["user"] })}>sessions</a>
        </p>
      )}
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
    title: "Account",
    cell: (flow) => (
      <>
        <div class="row">
          <RowLink address={href(["flows", flow.id])}>
            <UserText text={accountOf(flow.data) || "no account"} muted={!flow.data.as} />
          </RowLink>
          <FlowResult flow={flow} />
        </div>
        {flow.data.reason && <small class="lines muted">{flow.data.reason}</small>}
      </>
    ),
    isWide: true,
  },
  { title: "Provider", cell: ({ data }) => providerTitle(data.provider ?? ""), isSpare: true },
  { title: "Instance", cell: ({ data }) => <UserText text={instanceName(data.instance)} />, isSpare: true },
  { title: "Began", cell: ({ data }) => <ExactTime at={data.started_at} /> },
  {
    title: "Took",
    cell: ({ data }) => (hasEnded(data) ? shownDuration(data.steps.reduce((sum, { ms }) => sum + ms, 0)) : "–"),
    align: "end",
    isSpare: true,
  },
];

function hasEnded({ result }: Flow["data"]): boolean {
  return result === "token" || result === "error";
}

export function FlowTable({ label, flows }: { label: string; flows: readonly Flow[] }) {
  return (
    <Table
      label={label}
      columns={COLUMNS}
      rows={flows}
      toneOf={({ data }) => (data.result === "error" && data.error !== CANCELED && !data.asked_by ? "bad" : undefined)}
    />
  );
}

/** What a user decides is no failure. */
const CANCELED = "access_denied";

export function FlowResult({ flow: { data } }: { flow: Flow }) {
  if (data.result === "token") return <Pill tone="good">signed in</Pill>;
  if (resultOf(data, recentTime()) === "abandoned") return <Pill tone="gone">abandoned</Pill>;
  if (!hasEnded(data)) return <Pill tone="warn">in progress</Pill>;
  if (data.asked_by) return <Pill tone="info">{data.error}</Pill>;
  if (data.error === CANCELED) return <Pill>cancelled</Pill>;
  return <Pill tone="bad">{data.error ?? "rejected"}</Pill>;
}

import type { VNode } from "preact";
import { providerTitle } from "../../../wire/providers.ts";
import type { Flow } from "../../api/records.ts";
import { instanceName } from "../../api/service.ts";
import { href } from "../../router.ts";
import { Pill } from "../../ui/parts.tsx";
import { RowLink, Table, type Column } from "../../ui/table.tsx";
import { duration, ExactTime } from "../../ui/time.tsx";
import { UserText } from "../../ui/user-text.tsx";

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

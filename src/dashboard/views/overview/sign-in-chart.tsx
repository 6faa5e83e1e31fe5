import type { VNode } from "preact";
import { providerTitle } from "../../../wire/names.ts";
import type { Flow } from "../../api/records.ts";
import { service } from "../../api/service.ts";
import { useSignal } from "@preact/signals";
import { BarChart, type Series } from "../../ui/chart.tsx";
import { SelectField } from "../../ui/field.tsx";
import { Panel } from "../../ui/parts.tsx";
import { serviceNow } from "../../ui/time.tsx";

const SPANS = [
  { value: "15", text: "Last 15 minutes", slots: 15, each: "a minute" },
  { value: "60", text: "Last hour", slots: 30, each: "2 minutes" },
  { value: "1440", text: "Last day", slots: 24, each: "an hour" },
];
const GROUPS = [
  { value: "result", text: "By result" },
  { value: "provider", text: "By provider" },
];
const RESULTS: readonly Series[] = [
  { name: "token", tone: "chart-good" },
  { name: "error", tone: "chart-bad" },
  { name: "open", tone: "chart-warn" },
];

/**
 * Sign-ins over time, by result or by provider.
 * @param hasMore whether there were sign-ins before these
 */
export function SignInChart({ flows, hasMore }: { flows: readonly Flow[]; hasMore: boolean }): VNode {
  const chosen = useSignal("15");
  const by = useSignal("result");
  const span = SPANS.find(({ value }) => value === chosen.value)!;
  const width = (Number(span.value) * 60_000) / span.slots;
  const end = Math.ceil(serviceNow() / width) * width;
  const begin = end - span.slots * width;
  const series = by.value === "result" ? RESULTS : providerSeries();
  const nameOf = (flow: Flow): string =>
    by.value === "result" ? flow.data.result : providerTitle(flow.data.provider ?? "");
  const counts = Array.from({ length: span.slots }, () => series.map(() => 0));
  for (const flow of flows) {
    const values = counts[Math.floor((startOf(flow) - begin) / width)];
    const index = series.findIndex(({ name }) => name === nameOf(flow));
    if (values && index >= 0) values[index]!++;
  }
  const isCut = hasMore && flows.length > 0 && startOf(flows.at(-1)!) > begin;
  return (
    <Panel
      title="Sign-ins"
      actions={
        <>
          <SelectField inline label="Time span" value={chosen} choices={SPANS} />
          <SelectField inline label="Grouped by" value={by} choices={GROUPS} />
        </>
      }
    >
      <BarChart
        title="Sign-ins"
        series={series}
        slots={counts.map((values, n) => ({ label: timeOf(begin + n * width), values }))}
        each={span.each}
        note={isCut && `The latest ${flows.length} only`}
      />
    </Panel>
  );
}

function providerSeries(): Series[] {
  return service.value.providers.map((name, n) => ({ name: providerTitle(name), tone: `series-${n % 5}` as const }));
}

function startOf({ data }: Flow): number {
  return Date.parse(data.started_at);
}

function timeOf(at: number): string {
  return new Date(at).toISOString().slice(11, 16);
}

import type { VNode } from "preact";
import type { Flow } from "../../api/records.ts";
import { service } from "../../api/service.ts";
import { useSignal } from "@preact/signals";
import { BarChart, type Series, type Slot } from "../../ui/chart.tsx";
import { SelectField } from "../../ui/field.tsx";
import { Panel } from "../../ui/parts.tsx";
import { serviceNow } from "../../ui/time.tsx";

const SLOTS = 30;
const SPANS = [
  { value: "15", text: "Last 15 minutes" },
  { value: "60", text: "Last hour" },
  { value: "1440", text: "Last day" },
];
const GROUPS = [
  { value: "outcome", text: "By outcome" },
  { value: "provider", text: "By provider" },
];
const OUTCOMES: readonly Series[] = [
  { name: "token", tone: "chart-good" },
  { name: "error", tone: "chart-bad" },
  { name: "open", tone: "chart-warn" },
];

/** Sign-ins over time, by result or by provider. */
export function SignInChart({ flows }: { flows: readonly Flow[] }): VNode {
  const minutes = useSignal("15");
  const by = useSignal("outcome");
  const series = by.value === "outcome" ? OUTCOMES : providerSeries();
  const nameOf = (flow: Flow): string => (by.value === "outcome" ? flow.data.result : (flow.data.provider ?? ""));
  return (
    <Panel
      title="Sign-ins"
      actions={
        <>
          <SelectField inline label="Time span" value={minutes} choices={SPANS} />
          <SelectField inline label="Grouped by" value={by} choices={GROUPS} />
        </>
      }
    >
      <BarChart title="Sign-ins" series={series} slots={slotsOf(flows, Number(minutes.value), series, nameOf)} />
    </Panel>
  );
}

function providerSeries(): Series[] {
  return service.value.providers.map((name, n) => ({ name, tone: `series-${n % 5}` as const }));
}

function slotsOf(
  flows: readonly Flow[],
  minutes: number,
  series: readonly Series[],
  nameOf: (flow: Flow) => string,
): Slot[] {
  const width = (minutes * 60_000) / SLOTS;
  const end = Math.ceil(serviceNow() / width) * width;
  const begin = end - SLOTS * width;
  const counts = Array.from({ length: SLOTS }, () => series.map(() => 0));
  for (const flow of flows) {
    const slot = Math.floor((Date.parse(flow.data.started_at) - begin) / width);
    const index = series.findIndex(({ name }) => name === nameOf(flow));
    const values = counts[slot];
    if (values && index >= 0) values[index]!++;
  }
  return counts.map((values, n) => ({ label: timeOf(begin + n * width), values }));
}

function timeOf(at: number): string {
  return new Date(at).toISOString().slice(11, 16);
}

import type { VNode } from "preact";
import type { Flow } from "../../api/records.ts";
import { service } from "../../api/service.ts";
import { useSignal } from "@preact/signals";
import { BarChart, type Series, type Slot } from "../../ui/chart.tsx";
import { Select } from "../../ui/field.tsx";
import { Panel } from "../../ui/parts.tsx";
import { serviceNow } from "../../ui/time.tsx";

const SLOTS = 30;
const SPANS = { "15": "Last 15 minutes", "60": "Last hour", "1440": "Last day" } as const;
const OUTCOMES: readonly Series[] = [
  { name: "token", tone: "good" },
  { name: "error", tone: "bad" },
  { name: "open", tone: "warn" },
];

/** Sign-ins over time, by how they ended or by provider. */
export function SignInChart({ flows }: { flows: readonly Flow[] }): VNode {
  const minutes = useSignal<keyof typeof SPANS>("15");
  const by = useSignal<"outcome" | "provider">("outcome");
  const series = by.value === "outcome" ? OUTCOMES : providerSeries();
  const nameOf = (flow: Flow): string => (by.value === "outcome" ? flow.data.result : (flow.data.provider ?? ""));
  return (
    <Panel
      title="Sign-ins"
      actions={
        <>
          <Select
            inline
            label="Time span"
            value={minutes.value}
            choices={Object.entries(SPANS).map(([value, text]) => ({ value, text }))}
            onChange={(value) => void (minutes.value = value as keyof typeof SPANS)}
          />
          <Select
            inline
            label="Grouped by"
            value={by.value}
            choices={[
              { value: "outcome", text: "By outcome" },
              { value: "provider", text: "By provider" },
            ]}
            onChange={(value) => void (by.value = value as "outcome" | "provider")}
          />
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

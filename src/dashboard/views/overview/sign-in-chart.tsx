import { useSignal, type Signal } from "@preact/signals";
import type { VNode } from "preact";
import type { AnswerOf } from "../../../wire/control/types.ts";
import { providerTitle } from "../../../wire/providers.ts";
import { service } from "../../api/service.ts";
import { BarChart, type Series } from "../../ui/chart.tsx";
import { wallTime } from "../../ui/time.tsx";
import { SelectField } from "../../ui/field.tsx";
import { Panel } from "../../ui/parts.tsx";

/** The spans of the chart, as ages. */
export const SPANS = [
  { value: "15m", text: "Last 15 minutes", slots: 15, each: "a minute" },
  { value: "1h", text: "Last hour", slots: 30, each: "2 minutes" },
  { value: "24h", text: "Last day", slots: 24, each: "an hour" },
];
const GROUPS = [
  { value: "result", text: "By result" },
  { value: "provider", text: "By provider" },
];
const RESULTS: readonly (Series & { readonly id: "token" | "error" | "open" })[] = [
  { id: "token", name: "signed in", tone: "chart-good" },
  { id: "error", name: "failed", tone: "chart-bad" },
  { id: "open", name: "in progress", tone: "chart-warn" },
];

export function spanOf(value: string): (typeof SPANS)[number] {
  return SPANS.find((span) => span.value === value) ?? SPANS[0]!;
}

/** All sign-ins that the server keeps over time, by result or by provider. */
export function SignInChart({
  summary,
  span,
}: {
  summary: AnswerOf<"GET /flows/summary">;
  span: Signal<string>;
}): VNode {
  const by = useSignal("result");
  const { providers } = service.value;
  const isByResult = by.value === "result";
  const series: readonly Series[] = isByResult
    ? RESULTS
    : providers.map((name, n) => ({ name: providerTitle(name), tone: `series-${n % 5}` as const }));
  return (
    <Panel
      title="Sign-ins"
      actions={
        <>
          <SelectField inline label="Time span" value={span} choices={SPANS} />
          <SelectField inline label="Grouped by" value={by} choices={GROUPS} />
        </>
      }
    >
      <BarChart
        title="Sign-ins"
        series={series}
        slots={summary.periods.map((period) => ({
          label: wallTime(period.from).slice(11, 16),
          values: isByResult
            ? RESULTS.map(({ id }) => period.results[id])
            : providers.map((name) => period.providers[name] ?? 0),
        }))}
        each={spanOf(span.value).each}
        note={`${summary.total.toLocaleString("en")} sign-ins`}
      />
    </Panel>
  );
}

import { useSignal, type Signal } from "@preact/signals";
import type { VNode } from "preact";
import type { AnswerOf } from "../../wire/control/types.ts";
import { providerTitle } from "../../wire/providers.ts";
import { service } from "../api/service.ts";
import { wallTime, zoneName } from "../ui/time.tsx";
import { SelectField } from "../ui/field.tsx";
import { Panel } from "../ui/parts.tsx";

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

export interface Series {
  readonly name: string;
  /** Its colour, by its name in the style sheet. */
  readonly tone: `chart-${"good" | "bad" | "warn"}` | `series-${number}`;
}

export interface Slot {
  /** The label of this period. */
  readonly label: string;
  /** One number for each series. */
  readonly values: readonly number[];
}

const WIDTH = 720;
const HEIGHT = 140;
const BASE = 116;
const GAP = 6;

/** Stacked bars over time with the numbers that are not zero as a table for screen readers. */
export function BarChart({
  title,
  series,
  slots,
  each,
  note,
}: {
  title: string;
  series: readonly Series[];
  slots: readonly Slot[];
  /** How long a slot is: `a minute`, `2 minutes`. */
  each: string;
  /** What the reader has to know about the numbers. */
  note: string | false;
}): VNode {
  const peak = Math.max(0, ...slots.map(({ values }) => values.reduce((sum, value) => sum + value, 0)));
  const highest = Math.max(1, peak);
  const width = WIDTH / Math.max(1, slots.length);
  return (
    <figure class="chart">
      <figcaption class="legend">
        <span class="peak">
          {note && `${note} · `}Peak {peak} in {each}
        </span>
        {series.map(({ name, tone }) => (
          <span key={name}>
            <svg class="swatch" viewBox="0 0 10 10" aria-hidden="true">
              <rect width="10" height="10" rx="3" fill={`var(--${tone})`} />
            </svg>
            {name}
          </span>
        ))}
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true" preserveAspectRatio="none">
        <line x1="0" x2={WIDTH} y1={BASE + 0.5} y2={BASE + 0.5} class="axis" />
        {slots.map(({ label, values }, slot) => {
          let top = BASE;
          return (
            <g key={label}>
              <title>{`${label}: ${series.map(({ name }, n) => `${values[n]} ${name}`).join(", ")}`}</title>
              <rect x={slot * width} y="0" width={width} height={BASE} class="hit" />
              {values.map((value, n) => {
                const height = (value / highest) * (BASE - 8);
                top -= height;
                return value === 0 ? null : (
                  <rect
                    key={series[n]!.name}
                    x={slot * width + GAP / 2}
                    y={top}
                    width={Math.max(1, width - GAP)}
                    height={height}
                    rx="2"
                    fill={`var(--${series[n]!.tone})`}
                  />
                );
              })}
            </g>
          );
        })}
      </svg>
      <div class="chart-labels" aria-hidden="true">
        {[0, 1, 2, 3].map((n) => (
          <span key={n}>
            {slots[Math.round((n * (slots.length - 1)) / 3)]?.label}
            {n === 0 && ` ${zoneName()}`}
          </span>
        ))}
      </div>
      {/* A table would keep its height. */}
      <div class="visually-hidden">
        <table>
          <caption>{title}</caption>
          <thead>
            <tr>
              <th scope="col">Time ({zoneName()})</th>
              {series.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {slots
              .filter(({ values }) => values.some(Boolean))
              .map(({ label, values }) => (
                <tr key={label}>
                  <th scope="row">{label}</th>
                  {values.map((value, n) => (
                    <td key={series[n]!.name}>{value}</td>
                  ))}
                </tr>
              ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

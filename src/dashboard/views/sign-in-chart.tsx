import { useSignal, type Signal } from "@preact/signals";
import type { AnswerOf } from "../../wire/control/types.ts";
import { providerTitle } from "../../wire/providers.ts";
import { service } from "../api/service.ts";
import { SelectField } from "../ui/field.tsx";
import { Panel } from "../ui/parts.tsx";
import { counted } from "../ui/text.ts";
import { wallTime, zoneName } from "../ui/values.tsx";

type Summary = AnswerOf<"GET /flows/summary">;

interface Series {
  readonly name: string;
  /** Its colour, by its name in the style sheet. */
  readonly tone: string;
  readonly count: (period: Summary["periods"][number]) => number;
}

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
const RESULTS: readonly Series[] = [
  { name: "signed in", tone: "chart-good", count: ({ results }) => results.token },
  { name: "failed", tone: "chart-bad", count: ({ results }) => results.error },
  { name: "in progress", tone: "chart-warn", count: ({ results }) => results.open },
];

export function spanOf(value: string): (typeof SPANS)[number] {
  return SPANS.find((span) => span.value === value) ?? SPANS[0]!;
}

const WIDTH = 720;
const HEIGHT = 140;
const BASE = 116;
const GAP = 6;

/**
 * All sign-ins that the server keeps over time, by result or by provider: stacked bars, and the numbers that are not zero as
 * a table for screen readers.
 */
export function SignInChart({ summary, span }: { summary: Summary; span: Signal<string> }) {
  const by = useSignal("result");
  const series: readonly Series[] =
    by.value === "result"
      ? RESULTS
      : service.value.providers.map((provider, n) => ({
          name: providerTitle(provider),
          tone: `series-${n % 5}`,
          count: ({ providers }) => providers[provider] ?? 0,
        }));
  const slots = summary.periods.map((period) => ({
    label: wallTime(period.from).slice(11, 16),
    values: series.map(({ count }) => count(period)),
  }));
  const peak = Math.max(0, ...slots.map(({ values }) => values.reduce((sum, value) => sum + value, 0)));
  const width = WIDTH / Math.max(1, slots.length);
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
      <figure class="chart">
        <figcaption class="legend">
          <span class="peak">
            {counted(summary.total, "sign-in")} · Peak {peak} in {spanOf(span.value).each}
          </span>
          {series.map(({ name, tone }) => (
            <span key={name}>
              <svg width="10" viewBox="0 0 10 10" aria-hidden="true">
                <rect width="10" height="10" rx="3" fill={`var(--${tone})`} />
              </svg>
              {name}
            </span>
          ))}
        </figcaption>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true" preserveAspectRatio="none">
          <line x1="0" x2={WIDTH} y1={BASE + 0.5} y2={BASE + 0.5} stroke="var(--line-strong)" />
          {slots.map(({ label, values }, slot) => {
            let top = BASE;
            return (
              <g key={label}>
                <title>{`${label}: ${series.map(({ name }, n) => `${values[n]} ${name}`).join(", ")}`}</title>
                <rect x={slot * width} y="0" width={width} height={BASE} fill="transparent" class="hit" />
                {series.map(({ name, tone }, n) => {
                  const height = (values[n]! / Math.max(1, peak)) * (BASE - 8);
                  top -= height;
                  return height === 0 ? null : (
                    <rect
                      key={name}
                      x={slot * width + GAP / 2}
                      y={top}
                      width={Math.max(1, width - GAP)}
                      height={height}
                      rx="2"
                      fill={`var(--${tone})`}
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
            <caption>Sign-ins</caption>
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
    </Panel>
  );
}

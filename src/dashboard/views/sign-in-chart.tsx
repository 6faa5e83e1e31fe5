import type { ComponentChildren } from "preact";
import type { AnswerOf } from "../../wire/control/types.ts";
import { Panel, Placeholder } from "../ui/parts.tsx";
import { wallTime, zoneName } from "../ui/values.tsx";

type Summary = AnswerOf<"GET /flows/summary">;
type Results = Summary["results"];

const MINUTE = 60_000;
/** What the overview is about, as ages, in bars that begin at round times. */
export const SPANS = [
  { value: "1h", text: "Last hour", slots: 12, each: 5 * MINUTE },
  { value: "15m", text: "Last 15 minutes", slots: 15, each: MINUTE },
  { value: "24h", text: "Last day", slots: 12, each: 120 * MINUTE },
];
type Span = (typeof SPANS)[number];

export function spanOf(value: string): Span {
  return SPANS.find((span) => span.value === value) ?? SPANS[0]!;
}

/** The bounds of the bars: the last one is of now. @param now in milliseconds since 1970 */
export function chartBeginning({ slots, each }: Span, now: number): { since: string; until: string } {
  const end = (Math.floor(now / each) + 1) * each;
  return { since: new Date(end - slots * each).toISOString(), until: new Date(end).toISOString() };
}

const SERIES: readonly { name: string; tone: string; count: (results: Results) => number }[] = [
  { name: "signed in", tone: "chart-good", count: ({ token }) => token },
  { name: "failed", tone: "chart-bad", count: ({ error, canceled, asked_for }) => error - canceled - asked_for },
  { name: "failed as asked", tone: "accent", count: ({ asked_for }) => asked_for },
  { name: "cancelled", tone: "line-strong", count: ({ canceled }) => canceled },
  { name: "in progress", tone: "chart-warn", count: ({ open }) => open },
  { name: "abandoned", tone: "faint", count: ({ abandoned }) => abandoned },
];

const WIDTH = 600;
const HEIGHT = 150;

/**
 * Sign-ins over the period, by how they ended: stacked bars, and for screen readers the numbers that are not zero.
 * @param children what stands beside the bars
 */
export function SignInChart(props: { summary: Summary | undefined; span: Span; children: ComponentChildren }) {
  const { summary, span, children } = props;
  return (
    <Panel title="Sign-ins">
      <div class="beside">
        {children}
        {summary ? <Chart periods={summary.periods} span={span} /> : <Placeholder lines={6} />}
      </div>
    </Panel>
  );
}

function Chart({ periods, span }: { periods: Summary["periods"]; span: Span }) {
  const bars = periods.map(({ from, results }) => ({
    label: wallTime(from).slice(11, 16),
    values: SERIES.map(({ count }) => count(results)),
  }));
  const top = niceTop(Math.max(0, ...bars.map(({ values }) => sum(values))));
  const width = WIDTH / Math.max(1, bars.length);
  const every = span.slots / 3;
  return (
    <figure class="chart">
      <div class="chart-area">
        <div class="chart-scale" aria-hidden="true">
          <span>{top.toLocaleString("en")}</span>
          <span>{top > 1 ? (top / 2).toLocaleString("en") : ""}</span>
          <span>0</span>
        </div>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true" preserveAspectRatio="none">
          {[0, HEIGHT / 2, HEIGHT].map((y) => (
            <line key={y} x1="0" x2={WIDTH} y1={y} y2={y} stroke="var(--line)" vector-effect="non-scaling-stroke" />
          ))}
          {bars.map(({ label, values }, n) => (
            <g key={label}>
              <title>{`${label}: ${SERIES.map(({ name }, at) => `${values[at]} ${name}`).join(", ")}`}</title>
              <rect x={n * width} y="0" width={width} height={HEIGHT} fill="transparent" />
              {SERIES.map(({ name, tone }, at) => {
                const height = (values[at]! / top) * HEIGHT;
                const y = HEIGHT - (sum(values.slice(0, at + 1)) / top) * HEIGHT;
                return (
                  height > 0 && (
                    <rect
                      key={name}
                      x={n * width + 4}
                      y={y}
                      width={width - 8}
                      height={height}
                      fill={`var(--${tone})`}
                    />
                  )
                );
              })}
            </g>
          ))}
        </svg>
        <div class="chart-labels" aria-hidden="true">
          {bars
            .filter((_, n) => n % every === 0)
            .map(({ label }) => (
              <span key={label}>{label}</span>
            ))}
          <span>{zoneName()}</span>
        </div>
      </div>
      <figcaption class="legend">
        {SERIES.map(({ name, tone }) => (
          <span key={name}>
            <svg width="10" viewBox="0 0 10 10" aria-hidden="true">
              <rect width="10" height="10" rx="3" fill={`var(--${tone})`} />
            </svg>
            {name}
          </span>
        ))}
      </figcaption>
      <ul class="visually-hidden">
        {bars
          .filter(({ values }) => sum(values) > 0)
          .map(({ label, values }) => (
            <li key={label}>
              {label} {zoneName()}: {SERIES.map(({ name }, at) => `${values[at]} ${name}`).join(", ")}
            </li>
          ))}
      </ul>
    </figure>
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

/** The end of the scale: 2, 4, 10, 20, 40, 100 and so on, so that its half is a whole number. */
function niceTop(peak: number): number {
  for (let unit = 1; ; unit *= 10) for (const step of [2, 4, 10]) if (peak <= step * unit) return step * unit;
}

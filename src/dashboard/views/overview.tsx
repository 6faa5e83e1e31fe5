import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { AnswerOf } from "../../wire/control/types.ts";
import { control, type Flow } from "../api/client.ts";
import { chooseInstance, preferredInstance, service } from "../api/service.ts";
import { useLoad, useReloadOn } from "../api/use-load.ts";
import { href } from "../router.ts";
import { currentMinute, serviceNow, Time, UserText } from "../ui/values.tsx";
import { Select } from "../ui/field.tsx";
import { useLiveList } from "../ui/live-list.ts";
import { Empty, PageHeading, Listed, Panel, Pill } from "../ui/parts.tsx";
import { counted } from "../ui/text.ts";
import { instanceChoices } from "./choices.ts";
import { FlowTable } from "./flows.tsx";
import { chartBeginning, SignInChart, spanOf, SPANS } from "./sign-in-chart.tsx";

const SHOWN = 10;
const SHOWN_FAILURES = 8;

type Summary = AnswerOf<"GET /flows/summary">;
type Group = Summary["failures"][number];

/** What failed and why, how often in a period, and the latest sign-ins. */
export function OverviewPage() {
  const { value: instance } = preferredInstance;
  const isOfIt = ({ data }: Flow): boolean => instance === undefined || data.instance === instance;
  const { rows, error, reload } = useLiveList("flow", { instance }, isOfIt, SHOWN);
  const chosen = useSignal(SPANS[0]!.value);
  const span = spanOf(chosen.value);
  const read = () => {
    const { since, until } = chartBeginning(span, serviceNow());
    return control.request("GET /flows/summary", { query: { since, until, instance, periods: span.slots } });
  };
  const inputs = [chosen.value, instance, service.value.state?.clock.offset_ms ?? 0, currentMinute()];
  const { data: summary, reload: recount } = useLoad(read, inputs);
  useReloadOn(({ resource }) => resource === "flow", recount);
  return (
    <>
      <PageHeading title="Overview" note="What failed and why, and sign-ins as they happen.">
        <Select
          inline
          label="Instance"
          value={instance ?? ""}
          choices={instanceChoices("All instances")}
          onChange={chooseInstance}
        />
        <Select
          inline
          label="Time span"
          value={chosen.value}
          choices={SPANS}
          onChange={(value) => void (chosen.value = value)}
        />
      </PageHeading>
      <SignInChart summary={summary} span={span}>
        <Rate results={summary?.results} span={span.text.toLowerCase()} />
      </SignInChart>
      <Failures summary={summary} latest={rows?.[0]} />
      <Panel title="Latest sign-ins" flush actions={<a href="#/flows">All sign-ins</a>}>
        <Listed
          data={rows}
          error={error}
          reload={reload}
          lines={8}
          empty={
            <Empty icon="flows" title="No sign-ins yet">
              Sign in through your application, or <a href="#/try-it">try it</a> here, without an account or a network.
            </Empty>
          }
        >
          {(flows) => <FlowTable label="Latest sign-ins" flows={flows} />}
        </Listed>
      </Panel>
    </>
  );
}

/** How many failed that were to succeed. What was asked for, and what a user cancels, is no failure. */
function Rate({ results, span }: { results: Summary["results"] | undefined; span: string }) {
  const { token = 0, error = 0, canceled = 0, asked_for = 0, abandoned = 0 } = results ?? {};
  const failed = error - canceled - asked_for;
  const ended = token + failed;
  const others = [
    [asked_for, "failed as asked"],
    [canceled, "cancelled"],
    [abandoned, "abandoned"],
  ] as const;
  return (
    <div class="figure">
      <strong data-testid="failure-rate">{ended === 0 ? "–" : `${Math.round((100 * failed) / ended)} %`}</strong>
      <p class="muted">
        {ended === 0
          ? `No sign-in ended, ${span}`
          : `${failed.toLocaleString("en")} of ${counted(ended, "sign-in")} failed unexpectedly, ${span}`}
        {others.map(([count, what]) => count > 0 && ` · ${count.toLocaleString("en")} ${what}`)}
      </p>
    </div>
  );
}

/** The reasons of a period's failures: first those that were to succeed. */
function Failures({ summary, latest }: { summary: Summary | undefined; latest: Flow | undefined }) {
  const groups = summary?.failures.filter(({ is_asked_for, error }) => !is_asked_for && error !== "access_denied");
  const asked = summary?.failures.filter(({ is_asked_for }) => is_asked_for) ?? [];
  const all = { result: "error", asked_by: "none" };
  return (
    <Panel
      title="Failures"
      flush
      actions={groups && groups.length > 0 && <a href={href(["flows"], all)}>All failures</a>}
    >
      <Listed
        data={groups}
        lines={6}
        empty={
          summary?.total === 0 && latest ? (
            <Empty icon="clock" title="No sign-ins in this period">
              The latest began <Time at={latest.data.started_at} />.
            </Empty>
          ) : (
            <Empty icon="check" title="Nothing failed unexpectedly">
              When a sign-in fails, the reason is here in plain words.
            </Empty>
          )
        }
      >
        {(unexpected) => <Reasons testId="failures" groups={unexpected} />}
      </Listed>
      {asked.length > 0 && (
        <Reasons testId="asked-for" groups={asked}>
          <h3>Failed as asked</h3>
          <a href={href(["flows"], { ...all, asked_by: "any" })}>All of them</a>
        </Reasons>
      )}
    </Panel>
  );
}

function Reasons(props: { testId: string; groups: readonly Group[]; children?: ComponentChildren }) {
  const { testId, groups, children } = props;
  return (
    <ul class="entries padded" data-testid={testId}>
      {children && <li>{children}</li>}
      {groups.slice(0, SHOWN_FAILURES).map((group) => (
        <li key={`${group.error} ${group.filter}`}>
          <Reason group={group} />
        </li>
      ))}
    </ul>
  );
}

function Reason({ group }: { group: Group }) {
  const { reason, filter, error, is_asked_for, count, people, latest } = group;
  const which = filter ? { reason: filter } : { error: error ?? "" };
  return (
    <a class="entry reason" href={href(["flows"], { result: "error", ...which })}>
      <span>{reason ?? "No reason was recorded."}</span>
      <small class="row muted">
        <Pill tone={is_asked_for ? "info" : "bad"}>{count.toLocaleString("en")} ×</Pill>
        <span>
          {error} · <UserText text={people.join(", ") || "no account chosen"} /> · <Time at={latest.started_at} />
        </span>
      </small>
    </a>
  );
}

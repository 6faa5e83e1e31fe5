import { useSignal } from "@preact/signals";
import type { AnswerOf } from "../../wire/control/types.ts";
import { providerTitle } from "../../wire/providers.ts";
import { control } from "../api/client.ts";
import { instanceName, service } from "../api/service.ts";
import { useLoad, useReloadOn } from "../api/use-load.ts";
import { href } from "../router.ts";
import { CopyableValue, serviceNow, Time, UserText } from "../ui/values.tsx";
import { Select } from "../ui/field.tsx";
import { useLiveList } from "../ui/live-list.ts";
import { Empty, Facts, Heading, Listed, Panel, Pill } from "../ui/parts.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { FlowTable } from "./flows.tsx";
import { beginningOf, SignInChart, spanOf, SPANS } from "./sign-in-chart.tsx";

const SHOWN = 8;
const SHOWN_FAILURES = 6;

type Summary = AnswerOf<"GET /flows/summary">;

/** What failed and why, how often in a period, and the latest sign-ins. */
export function Overview() {
  const { rows, error, reload } = useLiveList("flow", {}, () => true, SHOWN);
  const chosen = useSignal(SPANS[0]!.value);
  const span = spanOf(chosen.value);
  const read = () => {
    const { since, until } = beginningOf(span, serviceNow());
    return control.request("GET /flows/summary", { query: { since, until, periods: span.slots } });
  };
  const { data: summary, reload: recount } = useLoad(read, [chosen.value]);
  useReloadOn(({ resource }) => resource === "flow", recount);
  const isFirstVisit = useSignal(false);
  if (rows?.length === 0) isFirstVisit.value = true;
  return (
    <>
      <Heading title="Overview" note="What failed and why, and sign-ins as they happen.">
        <Select
          inline
          label="Time span"
          value={chosen.value}
          choices={SPANS}
          onChange={(value) => void (chosen.value = value)}
        />
      </Heading>
      {isFirstVisit.value && <FirstSteps />}
      <div class="grid-2">
        <Failures summary={summary} span={span.text} />
        <SignInChart summary={summary} span={span} />
      </div>
      <Panel title="Latest sign-ins" flush actions={<a href="#/flows">All sign-ins</a>}>
        <Listed
          data={rows}
          error={error}
          reload={reload}
          lines={8}
          empty={
            <Empty icon="flows" title="No sign-ins yet">
              <a href="#/try-it">Try one</a>, or sign in through your application. It appears here at once.
            </Empty>
          }
        >
          {(flows) => <FlowTable label="Latest sign-ins" flows={flows} />}
        </Listed>
      </Panel>
      <Service />
    </>
  );
}

/** The rate of failures in the period, and their reasons. What a user cancels is no failure. */
function Failures({ summary, span }: { summary: Summary | undefined; span: string }) {
  const { token = 0, error = 0, canceled = 0 } = summary?.results ?? {};
  const failed = error - canceled;
  const ended = token + failed;
  const share = ended === 0 ? "–" : `${Math.round((100 * failed) / ended)} %`;
  const failures = summary?.failures.filter((group) => group.error !== "access_denied");
  return (
    <Panel
      title="Failures"
      flush
      actions={failures && failures.length > 0 && <a href={href(["flows"], { result: "error" })}>All failures</a>}
    >
      <p class="row padded figure">
        <strong data-testid="failure-rate">{share}</strong>
        <span class="muted">
          {failed.toLocaleString("en")} of {ended.toLocaleString("en")} sign-ins failed, {span.toLowerCase()}
          {canceled > 0 && ` · ${canceled.toLocaleString("en")} cancelled`}
        </span>
      </p>
      <Listed
        data={failures?.slice(0, SHOWN_FAILURES)}
        lines={6}
        empty={
          <Empty icon="check" title="Nothing failed">
            When a sign-in fails, the reason is here in plain words.
          </Empty>
        }
      >
        {(groups) => (
          <ul class="entries padded" data-testid="failures">
            {groups.map((group) => (
              <li key={`${group.error} ${group.filter}`}>
                <Reason group={group} />
              </li>
            ))}
          </ul>
        )}
      </Listed>
    </Panel>
  );
}

function Reason({ group }: { group: Summary["failures"][number] }) {
  const { reason, filter, error, count, people, latest } = group;
  const which = filter ? { reason: filter } : { error: error ?? "" };
  return (
    <a class="entry reason" href={href(["flows"], { result: "error", ...which })}>
      <span>{reason ?? "No reason was recorded."}</span>
      <small class="row muted">
        <Pill tone="bad">{count.toLocaleString("en")} ×</Pill>
        <span>
          {error} · <UserText text={people.join(", ") || "no account chosen"} /> · <Time at={latest.started_at} />
        </span>
      </small>
    </a>
  );
}

/** Larger numbers of an estimate are one. */
const EXACT = 100_000;

/** What runs here: addresses, counts, and who plays the providers. */
function Service() {
  const { state, instances } = service.value;
  if (!state) return null;
  const users = `${state.estimated && state.users > EXACT ? "≈ " : ""}${state.users.toLocaleString("en")}`;
  return (
    <div class="grid-2">
      <Panel title="Addresses">
        <Facts
          rows={[
            ["All instances", <CopyableValue text={location.origin} label="Address of all instances" />],
            ...instances.map(
              ({ id, data }) =>
                [instanceName(id), <CopyableValue text={data.url} label={`Address of ${instanceName(id)}`} />] as const,
            ),
          ]}
        />
      </Panel>
      <Panel title="Server">
        <Facts
          rows={[
            ["Version", state.version],
            ["Store", <code>{state.store}</code>],
            [
              instances.length > 1 ? "Users of all instances" : "Users",
              <a href="#/users" data-testid="count-users">
                {users}
              </a>,
            ],
            ["Sessions", state.sessions.toLocaleString("en")],
            ...Object.entries(state.providers).map(
              ([name, kind]) =>
                [
                  providerTitle(name),
                  <Pill tone={kind === "real" ? "info" : "plain"}>
                    {kind === "by instance" ? "set per instance" : kind}
                  </Pill>,
                ] as const,
            ),
          ]}
        />
      </Panel>
    </div>
  );
}

import { useSignal } from "@preact/signals";
import type { AnswerOf } from "../../wire/control/types.ts";
import { providerTitle } from "../../wire/providers.ts";
import { control } from "../api/client.ts";
import { instanceName, service } from "../api/service.ts";
import { useLoad, useReloadOn } from "../api/use-load.ts";
import { go, href } from "../router.ts";
import { CopyableValue, Time, UserText } from "../ui/values.tsx";
import { useLiveList } from "../ui/live-list.ts";
import { Empty, Facts, Heading, Listed, Panel, Pill, Placeholder, Problem } from "../ui/parts.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { FlowTable } from "./flows.tsx";
import { SignInChart, spanOf, SPANS } from "./sign-in-chart.tsx";

const SHOWN = 8;
const SHOWN_FAILURES = 6;

type Summary = AnswerOf<"GET /flows/summary">;

/** The service at a glance: its configuration, sign-ins and failures. */
export function Overview() {
  const { rows, error, reload } = useLiveList("flow", {}, () => true, SHOWN);
  const span = useSignal(SPANS[0]!.value);
  const { slots } = spanOf(span.value);
  const { data: summary, reload: recount } = useLoad(
    () => control.request("GET /flows/summary", { query: { since: span.value, periods: slots } }),
    [span.value],
  );
  useReloadOn(({ resource }) => resource === "flow", recount);
  const isFirstVisit = useSignal(false);
  if (rows?.length === 0) isFirstVisit.value = true;
  return (
    <>
      <Heading title="Overview" note="Sign-ins as they happen, what failed, and the addresses of the service.">
        <form class="find-person" onSubmit={find}>
          <input
            type="search"
            data-search
            data-testid="find-person"
            aria-label="Find a person's sign-ins"
            placeholder="Why did a sign-in fail? Name, e-mail, login or id"
            name="user"
          />
        </form>
      </Heading>
      {isFirstVisit.value && <FirstSteps />}
      <Numbers summary={summary} />
      {error ? (
        <Problem error={error} onRetry={reload} />
      ) : (
        <>
          {summary ? <SignInChart summary={summary} span={span} /> : <Placeholder lines={6} />}
          <div class="grid-2">
            <Panel title="Latest" flush actions={<a href="#/flows">All flows</a>}>
              <Listed
                data={rows}
                lines={8}
                empty={
                  <Empty icon="flows" title="No sign-ins yet">
                    <a href="#/try-it">Try one</a>, or sign in through your application. It appears here at once.
                  </Empty>
                }
              >
                {(flows) => <FlowTable label="Latest sign-ins" flows={flows} short />}
              </Listed>
            </Panel>
            <Failures failures={summary?.failures} />
          </div>
        </>
      )}
      <Addresses />
    </>
  );
}

/** Shows the sign-ins of a person, the failed ones included. */
function find(event: SubmitEvent): void {
  event.preventDefault();
  const user = new FormData(event.currentTarget as HTMLFormElement).get("user");
  if (typeof user === "string" && user.trim() !== "") go(["flows"], { user: user.trim() });
}

function Failures({ failures }: { failures: Summary["failures"] | undefined }) {
  return (
    <Panel
      title="Failures by reason"
      flush
      actions={failures && failures.length > 0 && <a href={href(["flows"], { result: "error" })}>All failures</a>}
    >
      <Listed
        data={failures?.slice(0, SHOWN_FAILURES)}
        lines={8}
        empty={
          <Empty icon="check" title="Nothing failed">
            When a sign-in fails, the reason is here in plain words.
          </Empty>
        }
      >
        {(rows) => (
          <ul class="reasons" data-testid="failures">
            {rows.map(({ reason, filter, error: code, count, people, latest }) => (
              <li key={`${code} ${filter}`}>
                <a
                  class="reason"
                  href={href(["flows"], { result: "error", ...(filter ? { reason: filter } : { error: code ?? "" }) })}
                >
                  <span>{reason ?? "No reason was recorded."}</span>
                  <small class="row muted">
                    <Pill tone="bad">{count.toLocaleString("en")} ×</Pill>
                    <span>
                      {code} · <UserText text={people.join(", ") || "no account chosen"} /> ·{" "}
                      <Time at={latest.started_at} />
                    </span>
                  </small>
                </a>
              </li>
            ))}
          </ul>
        )}
      </Listed>
    </Panel>
  );
}

/** Larger numbers of an estimate are one. */
const EXACT = 100_000;

function Numbers({ summary }: { summary: Summary | undefined }) {
  const { state, instances } = service.value;
  const { token: succeeded = 0, error: failed = 0 } = summary?.results ?? {};
  const ended = succeeded + failed;
  return (
    <div class="numbers">
      <a class="panel number" href={href(["flows"], { result: "error" })}>
        <span class="muted">Failure rate</span>
        <strong data-testid="failure-rate">{ended === 0 ? "–" : `${Math.round((100 * failed) / ended)} %`}</strong>
      </a>
      <a class="panel number" href="#/flows">
        <span class="muted">Failed sign-ins, of those that ended</span>
        <strong>{summary ? `${failed.toLocaleString("en")} of ${ended.toLocaleString("en")}` : "–"}</strong>
      </a>
      <a class="panel number" href="#/users">
        {/* The list behind this link shows one instance. */}
        <span class="muted">Users{instances.length > 1 && " of all instances"}</span>
        <strong data-testid="count-users">
          {state ? `${state.estimated && state.users > EXACT ? "≈ " : ""}${state.users.toLocaleString("en")}` : "–"}
        </strong>
      </a>
    </div>
  );
}

function Addresses() {
  const { state, instances } = service.value;
  if (!state) return null;
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
            ["Instances", state.instances.toLocaleString("en")],
            ["Sessions", state.sessions.toLocaleString("en")],
            ["Clock", { real: "Real time", frozen: "Frozen", running: "Moved" }[state.clock.mode]],
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

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { providerTitle } from "../../wire/names.ts";
import { instanceName, service } from "../api/service.ts";
import { href } from "../router.ts";
import { CopyableValue } from "../ui/copy.tsx";
import { useLiveList } from "../ui/live-list.ts";
import { Empty, Facts, Heading, Panel, Pill, Placeholder, Problem } from "../ui/parts.tsx";
import { sentence } from "../ui/sentence.ts";
import { Time } from "../ui/time.tsx";
import { FirstSteps } from "./overview/first-steps.tsx";
import { SignInChart } from "./overview/sign-in-chart.tsx";
import { FlowTable } from "./flows/flow-table.tsx";

const SHOWN = 8;
const SHOWN_FAILED = 5;

/** The service at a glance: its configuration, sign-ins and failures. */
export function Overview(): VNode {
  const { rows, isLoaded, error, reload, showOlder } = useLiveList("flow", {}, () => true, { isImmediate: true });
  const failures = useLiveList("flow", { result: "error" }, ({ data }) => data.result === "error", {
    isImmediate: true,
    limit: SHOWN_FAILED,
  });
  const failed = failures.rows.slice(0, SHOWN_FAILED);
  const isFirstVisit = useSignal(false);
  if (isLoaded && rows.length === 0) isFirstVisit.value = true;
  return (
    <>
      <Heading title="Overview" note="Sign-ins as they happen, what failed, and the addresses of the service." />
      {isFirstVisit.value && <FirstSteps />}
      <Numbers />
      {error ? (
        <Problem error={error} onRetry={reload} />
      ) : (
        <>
          {isLoaded ? <SignInChart flows={rows} hasMore={showOlder !== undefined} /> : <Placeholder lines={6} />}
          <div class="grid-2">
            <Panel title="Latest" flush actions={<a href="#/flows">All flows</a>}>
              {!isLoaded ? (
                <Placeholder lines={8} />
              ) : rows.length === 0 ? (
                <Empty icon="flows" title="No sign-ins yet">
                  <a href="#/try-it">Try one</a>, or sign in through your application. It appears here at once.
                </Empty>
              ) : (
                <FlowTable label="Latest sign-ins" flows={rows.slice(0, SHOWN)} short />
              )}
            </Panel>
            <Panel
              title="Failed lately"
              flush
              actions={failed.length > 0 && <a href={href(["flows"], { result: "error" })}>All failures</a>}
            >
              {!failures.isLoaded ? (
                <Placeholder lines={8} />
              ) : failed.length === 0 ? (
                <Empty icon="check" title="Nothing failed">
                  When a sign-in fails, the reason is here in plain words.
                </Empty>
              ) : (
                <ul class="reasons">
                  {failed.map((flow) => (
                    <li key={flow.id}>
                      <a href={href(["flows", flow.id])} class="reason">
                        <span>{sentence(flow.data.reason ?? "No reason was recorded.")}</span>
                        <small class="row muted">
                          <Pill tone="bad">{flow.data.error ?? "rejected"}</Pill>
                          <span>
                            {providerTitle(flow.data.provider ?? "")} · <Time at={flow.data.started_at} />
                          </span>
                        </small>
                      </a>
                    </li>
                  ))}
                </ul>
              )}
            </Panel>
          </div>
        </>
      )}
      <Addresses />
    </>
  );
}

/** Larger numbers of an estimate are one. */
const EXACT = 100_000;

function Numbers(): VNode {
  const { state, instances } = service.value;
  // The lists behind these links show one instance.
  const all = instances.length > 1 ? " of all instances" : "";
  const numbers = [
    ["Users", all, state?.users, "#/users"],
    ["Sessions", all, state?.sessions, "#/sessions"],
    ["Instances", "", state?.instances, "#/instances"],
  ] as const;
  return (
    <div class="numbers">
      {numbers.map(([name, scope, value, address]) => (
        <a key={name} class="panel number" href={address}>
          <span class="muted">
            {name}
            {scope}
          </span>
          <strong data-testid={`count-${name.toLowerCase()}`}>
            {value === undefined
              ? "–"
              : `${state?.estimated && value > EXACT ? "≈ " : ""}${value.toLocaleString("en")}`}
          </strong>
        </a>
      ))}
    </div>
  );
}

function Addresses(): VNode | null {
  const { state, clock, instances } = service.value;
  if (!state) return null;
  return (
    <div class="grid-2">
      <Panel title="Addresses">
        <Facts
          rows={[
            ["Front door", <CopyableValue text={location.origin} label="Front door" />],
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
            ["Clock", clock?.mode === "real" ? "Real time" : clock?.mode === "frozen" ? "Frozen" : "Moved"],
            ...Object.entries(state.providers).map(
              ([name, kind]) =>
                [providerTitle(name), <Pill tone={kind === "real" ? "info" : "plain"}>{kind}</Pill>] as const,
            ),
          ]}
        />
      </Panel>
    </div>
  );
}

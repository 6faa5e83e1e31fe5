import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { accountOf, flowMarkdown } from "../../wire/control/flows.ts";
import { providerTitle } from "../../wire/providers.ts";
import { control, type Flow as FlowRecord, type RequestEntry } from "../api/client.ts";
import { instanceName, service } from "../api/service.ts";
import { onEvent } from "../api/stream.ts";
import { useLoad } from "../api/use-load.ts";
import { go, href, listAddress } from "../router.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton, CopyableValue, ExactTime, UserText } from "../ui/values.tsx";
import { SelectField } from "../ui/field.tsx";
import { FormDialog, openDialog } from "../ui/dialog.tsx";
import { Facts, PageHeading, Panel, Unloaded } from "../ui/parts.tsx";
import { outcomeChoices } from "./choices.ts";
import { TablePanel } from "../ui/table.tsx";
import { FlowResult } from "./flows.tsx";
import { REQUEST_COLUMNS } from "./requests.tsx";
import { Timeline } from "./timeline.tsx";

/** One sign-in: each step with its duration, request and response. */
export function FlowPage({ id }: { id: string }) {
  const { data: flow, error, reload } = useLoad(() => read(id), [id]);
  useEffect(() => onEvent((event) => event.id === id && reload()), [id, reload]);
  if (!flow || error) return <Unloaded title="Sign-in" back={listAddress("flows")} error={error} onRetry={reload} />;
  const { data } = flow;
  return (
    <>
      <PageHeading
        back={listAddress("flows")}
        title={
          <>
            Sign-in with {providerTitle(data.provider ?? "")} <FlowResult flow={flow} />
          </>
        }
        note={data.reason}
      >
        <CopyButton text={flowMarkdown(flow, instanceName(data.instance))} label="Sign-in as Markdown">
          Copy for an issue
        </CopyButton>
        <CopyButton text={JSON.stringify(flow, null, 2)} label="Sign-in as JSON">
          Copy as JSON
        </CopyButton>
        {data.client_id === null && <Button onClick={() => openDialog(<Replay flow={flow} />)}>Replay…</Button>}
      </PageHeading>
      <div class="grid-2">
        <Panel title="Steps">
          <Timeline steps={data.steps} hasFailed={data.result === "error"} />
        </Panel>
        <Panel title="About">
          <Facts
            rows={[
              ["Started", <ExactTime at={data.started_at} />],
              ["Instance", <a href={href(["instances", data.instance ?? ""])}>{instanceName(data.instance)}</a>],
              [
                "Account",
                data.as && (
                  <>
                    <UserText text={accountOf(data)} />
                    <a href={href(["flows"], { user: data.as })}>All sign-ins</a>
                  </>
                ),
              ],
              [
                "User",
                data.user_id && (
                  <a href={href(["users", data.user_id], { instance: data.instance ?? undefined })}>
                    {data.user_id.slice(0, 8)}…
                  </a>
                ),
              ],
              ["Client", data.client_id && <code>{data.client_id}</code>],
              ["Redirect URI", data.redirect_uri && <code>{data.redirect_uri}</code>],
              ["Asked-for outcome", data.requested_outcome],
              [
                "Scenario",
                data.scenario && (
                  <a href={href(["control"], { section: "scenarios" })}>
                    {data.scenario.label ?? data.scenario.cause ?? "an account"}
                  </a>
                ),
              ],
              ["Id", <CopyableValue text={flow.id} label="Sign-in id" />],
            ]}
          />
        </Panel>
      </div>
      <RequestsOf flow={id} steps={data.steps.length} />
    </>
  );
}

/** The requests that took a sign-in further, oldest first. @param steps with each of them there may be another request */
function RequestsOf({ flow, steps }: { flow: string; steps: number }) {
  const load = () => control.request("GET /requests", { query: { flow } });
  const { data, error, reload } = useLoad(load, [flow, steps]);
  return (
    <TablePanel<RequestEntry>
      title="Requests"
      label="Requests of this sign-in"
      data={data?.toReversed() as RequestEntry[] | undefined}
      error={error}
      reload={reload}
      empty={<p class="padded muted">None that this server still has.</p>}
      columns={REQUEST_COLUMNS}
    />
  );
}

async function read(id: string): Promise<FlowRecord> {
  return control.request("GET /flows/:id", { params: { id } });
}

function Replay({ flow }: { flow: FlowRecord }) {
  const outcome = useSignal(flow.data.requested_outcome ?? "success");
  const run = async (): Promise<void> => {
    const { flow_id } = await control.request("POST /flows/:id/replay", {
      params: { id: flow.id },
      body: { outcome: outcome.value },
    });
    go(["flows", flow_id]);
  };
  return (
    <FormDialog title="Run this sign-in again" action="Run" testId="replay" onSubmit={run}>
      <SelectField
        label="Outcome"
        value={outcome}
        choices={outcomeChoices(undefined, flow.data.provider ?? undefined)}
      />
      <p class="muted">{service.value.outcomes.find(({ id }) => id === outcome.value)?.description}</p>
    </FormDialog>
  );
}

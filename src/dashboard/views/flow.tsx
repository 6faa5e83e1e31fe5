import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { get, post } from "../api/client.ts";
import type { Flow as FlowRecord, OutcomeId } from "../api/records.ts";
import { instanceName, service } from "../api/service.ts";
import { onEvent } from "../api/stream.ts";
import { useLoad } from "../api/use-load.ts";
import { go, href, listAddress } from "../router.ts";
import { Button, Copy } from "../ui/button.tsx";
import { Select } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Facts, Heading, Panel, Placeholder, Problem } from "../ui/parts.tsx";
import { Time } from "../ui/time.tsx";
import { FlowResult } from "./flows/flow-table.tsx";
import { Timeline } from "./flows/timeline.tsx";
import { UserText } from "../ui/user-text.tsx";

/** One sign-in: each step with its duration, what was sent and what was answered. */
export function Flow({ id }: { id: string }): VNode {
  const { data: flow, error, reload } = useLoad(() => get<FlowRecord>(`flows/${encodeURIComponent(id)}`), [id]);
  const isReplaying = useSignal(false);
  useEffect(() => onEvent((event) => event.id === id && reload()), [id, reload]);
  if (error)
    return (
      <>
        <Heading title="Flow" back={listAddress("flows")} />
        <Problem error={error} onRetry={reload} />
      </>
    );
  if (!flow) return <Placeholder lines={8} />;
  const { data } = flow;
  return (
    <>
      <Heading
        back={listAddress("flows")}
        title={
          <>
            Sign-in with {data.provider} <FlowResult flow={flow} />
          </>
        }
        note={data.reason}
      >
        <Button onClick={() => void (isReplaying.value = true)}>Replay…</Button>
      </Heading>
      <div class="grid-side">
        <Panel title="Steps">
          <Timeline steps={data.steps} hasFailed={data.result === "error"} />
        </Panel>
        <div class="stack">
          <Panel title="About">
            <Facts
              rows={[
                ["Started", <Time at={data.started_at} />],
                ["Instance", <a href={href(["instances", data.instance ?? ""])}>{instanceName(data.instance)}</a>],
                ["Account", data.as && <UserText text={data.as} />],
                ["User", data.user_id && <a href={href(["users", data.user_id])}>{data.user_id.slice(0, 8)}…</a>],
                ["Goes back to", <code>{data.redirect_uri}</code>],
                ["Requested outcome", data.requested_outcome],
                [
                  "Id",
                  <>
                    <code>{flow.id}</code>
                    <Copy text={flow.id} label="Flow id" />
                  </>,
                ],
              ]}
            />
          </Panel>
          {data.considered.length > 0 && (
            <Panel title="Scenarios that were considered">
              <Facts rows={data.considered.map(({ scenario, because }) => [scenario.slice(0, 12), because] as const)} />
            </Panel>
          )}
        </div>
      </div>
      {isReplaying.value && <Replay flow={flow} onClose={() => void (isReplaying.value = false)} />}
    </>
  );
}

function Replay({ flow, onClose }: { flow: FlowRecord; onClose: () => void }): VNode {
  const outcome = useSignal<OutcomeId>(flow.data.requested_outcome ?? "success");
  const run = async (): Promise<void> => {
    const { flow_id } = await post<{ flow_id: string }>(`flows/${encodeURIComponent(flow.id)}/replay`, {
      outcome: outcome.value,
    });
    go(["flows", flow_id]);
  };
  const possible = service.value.outcomes.filter(({ providers }) =>
    providers.some((name) => name === flow.data.provider),
  );
  return (
    <FormDialog title="Run this sign-in again" action="Run" testId="replay" onSubmit={run} onClose={onClose}>
      <Select
        label="Outcome"
        value={outcome.value}
        choices={possible.map(({ id, title }) => ({ value: id, text: title }))}
        onChange={(value) => void (outcome.value = value as OutcomeId)}
      />
      <p class="muted">{possible.find(({ id }) => id === outcome.value)?.description}</p>
    </FormDialog>
  );
}

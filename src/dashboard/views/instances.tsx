import type { VNode } from "preact";
import { providerTitle } from "../../wire/providers.ts";
import type { Instance as InstanceRecord } from "../api/client.ts";
import { refreshState, service } from "../api/service.ts";
import { href, location, refine } from "../router.ts";
import { Button } from "../ui/button.tsx";
import { Heading, Panel, Pill, Placeholder, Problem } from "../ui/parts.tsx";
import { RowLink, Table } from "../ui/table.tsx";
import { NewInstance } from "./instance-form.tsx";
import { UserText } from "../ui/user-text.tsx";

/** The instances: applications that sign in their users here. */
export function Instances(): VNode {
  const { instances, state, problem } = service.value;
  const isAdding = location.value.query["new"] === "yes";
  const add = (isOpen: boolean): void => refine({ new: isOpen ? "yes" : undefined });
  return (
    <>
      <Heading title="Instances" note="An instance is one application: its keys, its users, its providers.">
        <Button kind="primary" icon="plus" onClick={() => add(true)}>
          New instance
        </Button>
      </Heading>
      <Panel flush>
        {state ? (
          <Table<InstanceRecord>
            label="Instances"
            rows={instances}
            idOf={({ id }) => id}
            linkOf={({ id }) => href(["instances", id])}
            columns={[
              {
                title: "Name",
                cell: ({ id, data }) => (
                  <RowLink address={href(["instances", id])}>
                    <b>
                      <UserText text={data.name} />
                    </b>
                  </RowLink>
                ),
              },
              { title: "Address", cell: ({ data }) => <code class="one-line">{data.url}</code> },
              {
                title: "Publishable key",
                cell: ({ data }) => <code class="one-line">{data.publishable_key}</code>,
              },
              { title: "Default provider", cell: ({ data }) => providerTitle(data.default_provider) },
              {
                title: "State",
                cell: ({ data }) =>
                  data.active ? <Pill tone="good">active</Pill> : <Pill tone="warn">not active</Pill>,
              },
            ]}
          />
        ) : problem === undefined ? (
          <Placeholder lines={3} />
        ) : (
          <Problem error={new Error(problem)} onRetry={() => refreshState()} />
        )}
      </Panel>
      {isAdding && <NewInstance onClose={() => add(false)} />}
    </>
  );
}

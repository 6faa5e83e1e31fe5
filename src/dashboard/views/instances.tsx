import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { post } from "../api/client.ts";
import type { Instance as InstanceRecord } from "../api/records.ts";
import { refreshState, service } from "../api/service.ts";
import { go, href } from "../router.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { Heading, Panel, Pill, Placeholder } from "../ui/parts.tsx";
import { Table } from "../ui/table.tsx";

/** The applications that sign their users in here. */
export function Instances(): VNode {
  const { instances, state } = service.value;
  const isAdding = useSignal(false);
  return (
    <>
      <Heading title="Instances" note="An instance is one application: its keys, its users, its providers.">
        <Button kind="primary" icon="plus" onClick={() => void (isAdding.value = true)}>
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
                  <a href={href(["instances", id])} tabIndex={-1} class="user-text">
                    <b>{data.name}</b>
                  </a>
                ),
              },
              {
                title: "Address",
                cell: ({ data }) => (data.url ? <code>{data.url}</code> : <span class="faint">none</span>),
                from: 700,
              },
              { title: "Publishable key", cell: ({ data }) => <code>{data.publishable_key}</code>, from: 960 },
              { title: "Default provider", cell: ({ data }) => data.default_provider, from: 480 },
              {
                title: "State",
                cell: ({ data }) =>
                  data.active ? <Pill tone="good">active</Pill> : <Pill tone="warn">not active</Pill>,
              },
            ]}
          />
        ) : (
          <Placeholder lines={3} />
        )}
      </Panel>
      {isAdding.value && <NewInstance onClose={() => void (isAdding.value = false)} />}
    </>
  );
}

function NewInstance({ onClose }: { onClose: () => void }): VNode {
  const name = useSignal("");
  const subdomain = useSignal("");
  const problem = useSignal<string | undefined>(undefined);
  const create = async (): Promise<void> => {
    try {
      const { id } = await post<InstanceRecord>("instances", { name: name.value, subdomain: subdomain.value });
      await refreshState();
      onClose();
      go(["instances", id]);
    } catch (error) {
      problem.value = (error as Error).message;
    }
  };
  return (
    <Dialog title="New instance" onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <Field label="Name">
          <input
            required
            maxLength={256}
            value={name.value}
            onInput={(event) => void (name.value = event.currentTarget.value)}
          />
        </Field>
        <Field
          label="Subdomain"
          hint="Lower-case letters, digits and hyphens. Its address is <subdomain>.localhost."
          error={problem.value}
        >
          <input
            required
            value={subdomain.value}
            onInput={(event) => void (subdomain.value = event.currentTarget.value)}
          />
        </Field>
        <div class="actions end">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit">
            Create
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

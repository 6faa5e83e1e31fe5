import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { post } from "../../api/client.ts";
import { instanceName, refreshState, service } from "../../api/service.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/form-dialog.tsx";
import { Select } from "../../ui/field.tsx";
import { notify } from "../../ui/notices.tsx";
import { Panel } from "../../ui/parts.tsx";
import { Generate } from "./generate.tsx";
import { SeedForm } from "./seed-form.tsx";
import { Snapshots } from "./snapshots.tsx";

/** The records: save them, bring them back, fill them. */
export function DataPanel(): VNode {
  const version = useSignal(0);
  const changed = (): void => {
    version.value++;
    void refreshState();
  };
  return (
    <>
      <Snapshots reloadKey={version.value} onRestored={changed} />
      <div class="grid-2">
        <Generate onDone={changed} />
        <ResetPanel onDone={changed} />
      </div>
      <SeedForm onDone={changed} />
    </>
  );
}

function ResetPanel({ onDone }: { onDone: () => void }): VNode {
  const instance = useSignal("");
  const isAsking = useSignal(false);
  const { instances } = service.value;
  const name = instance.value === "" ? undefined : instanceName(instance.value);
  return (
    <Panel title="Reset">
      <div class="stack">
        <p class="muted">
          Everything goes back to the seed read at the start, with the same ids and keys. The snapshot "previous" keeps
          what is there now.
        </p>
        <div class="filters">
          <Select
            inline
            label="What to reset"
            value={instance.value}
            choices={[
              { value: "", text: "Everything" },
              ...instances.map(({ id }) => ({ value: id, text: `Users and sessions of ${instanceName(id)}` })),
            ]}
            onChange={(value) => void (instance.value = value)}
          />
          <Button kind="danger" onClick={() => void (isAsking.value = true)} testId="reset">
            Reset…
          </Button>
        </div>
      </div>
      {isAsking.value && (
        <Confirm
          title={name === undefined ? "Reset everything?" : `Reset ${name}?`}
          action="Reset"
          onClose={() => void (isAsking.value = false)}
          onConfirm={async () => {
            await post("reset", instance.peek() === "" ? { all: true } : { instance: instance.peek() });
            notify("good", "Reset to the seed");
            onDone();
          }}
        >
          <p>
            {name === undefined
              ? "All users, sessions, scenarios and changes of instances go, and the clock returns to real time."
              : "Its users, sessions and open sign-ins go."}
          </p>
        </Confirm>
      )}
    </Panel>
  );
}

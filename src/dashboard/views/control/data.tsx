import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { control } from "../../api/client.ts";
import { instanceName, refreshState } from "../../api/service.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/form-dialog.tsx";
import { SelectField, type Choice } from "../../ui/field.tsx";
import { notify } from "../../ui/notices.tsx";
import { Panel } from "../../ui/parts.tsx";
import { instanceChoices } from "../choices.ts";
import { Generate } from "./generate.tsx";
import { SeedForm } from "./seed-form.tsx";
import { Snapshots } from "./snapshots.tsx";

/** The records: snapshots, reset, seed and generated users. */
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
  const name = instance.value === "" ? undefined : instanceName(instance.value);
  return (
    <Panel title="Reset">
      <div class="stack">
        <p class="muted">
          Everything goes back to the records that the server began with, its seed, with the same ids and keys.
        </p>
        <div class="filters">
          <SelectField inline label="What to reset" value={instance} choices={whatToReset()} />
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
            const body = instance.peek() === "" ? { all: true as const } : { instance: instance.peek() };
            await control.request("POST /reset", { body });
            notify("good", "Reset to the first records");
            onDone();
          }}
        >
          <p>
            {name === undefined
              ? "All users, sessions, scenarios and changes of instances go, and the clock returns to real time."
              : "Its users, sessions and open sign-ins go."}{" "}
            What is there now is kept in a snapshot, the newest "previous".
          </p>
        </Confirm>
      )}
    </Panel>
  );
}

function whatToReset(): Choice[] {
  const [everything, ...instances] = instanceChoices("Everything");
  return [everything!, ...instances.map(({ value, text }) => ({ value, text: `Users and sessions of ${text}` }))];
}

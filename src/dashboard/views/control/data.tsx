import { useSignal } from "@preact/signals";
import { control } from "../../api/client.ts";
import { instanceName, currentInstance } from "../../api/service.ts";
import { reloadAll } from "../../api/use-load.ts";
import { changed } from "../../ui/button.tsx";
import { AskButton } from "../../ui/dialog.tsx";
import { SelectField, FormField, Select, TextField } from "../../ui/field.tsx";
import { Form, type Send } from "../../ui/form.tsx";
import { Panel } from "../../ui/parts.tsx";
import { instanceChoices, recordChoices } from "../choices.ts";
import { SnapshotsPanel } from "./snapshots.tsx";
import { parsed } from "./parsed.ts";
import type { BodyOf } from "../../../wire/control/types.ts";

/** The records: snapshots, reset, seed and generated users. */
export function DataPanel() {
  return (
    <>
      <SnapshotsPanel />
      <div class="grid-2">
        <Generate />
        <ResetPanel />
      </div>
      <SeedForm />
    </>
  );
}

function ResetPanel() {
  const instance = useSignal("");
  const { value: id } = instance;
  return (
    <Panel title="Reset">
      <div class="stack">
        <p class="muted">
          Everything goes back to the records that the server began with, its seed, with the same ids and keys.
        </p>
        <div class="filters">
          <SelectField inline label="What to reset" value={instance} choices={recordChoices()} />
          <AskButton
            testId="reset"
            button="Reset…"
            title={id === "" ? "Reset everything?" : `Reset ${instanceName(id)}?`}
            action="Reset"
            run={() => control.request("POST /reset", { body: id === "" ? { all: true } : { instance: id } })}
            done={id === "" ? "Reset to the first records" : `Reset ${instanceName(id)}`}
          >
            {id === ""
              ? "All users, sessions, scenarios and changes of instances go, and the clock returns to real time."
              : "Its users, sessions and open sign-ins go."}{" "}
            What is there now is kept in a snapshot, the newest "previous".
            {id !== "" && ` To undo this, restore ${instanceName(id)} alone from it.`}
          </AskButton>
        </div>
      </div>
    </Panel>
  );
}

const EXAMPLE = '{ "personas": [{ "name": "Mary Shelley", "email": "mary@example.test" }] }';

/** Adds the records of a seed document. */
export function SeedForm() {
  const add: Send = async ({ seed = "" }, form) => {
    await control.request("POST /seed", { body: parsed(seed) as BodyOf<"POST /seed"> });
    changed("The records were added");
    form.reset();
  };
  return (
    <Panel title="Add records">
      <Form action="Add" onSubmit={add}>
        <FormField
          label="Seed document"
          hint="JSON with instances, users and personas, as svc serve --seed takes it. A conflict adds nothing."
        >
          <textarea name="seed" required spellcheck={false} placeholder={EXAMPLE} />
        </FormField>
      </Form>
    </Panel>
  );
}

/** Generates users in bulk, with names in many scripts. The same seed gives the same users. */
export function Generate() {
  const made = useSignal<number | undefined>(undefined);
  const make: Send = async ({ users, seed, instance }) => {
    made.value = undefined;
    const generate = { users: Number(users), seed: Number(seed), instance: instance || undefined };
    made.value = (await control.request("POST /seed", { body: { generate } })).users;
    reloadAll();
  };
  const said = made.value !== undefined && <span role="status">{made.value.toLocaleString("en")} users made</span>;
  return (
    <Panel title="Generate users">
      <Form action="Generate" testId="generate" beside={said} onSubmit={make}>
        <div class="form-grid">
          <TextField name="users" label="How many" type="number" min="1" max="100000" required value="1000" />
          <Select name="instance" label="Instance" value={currentInstance()} choices={instanceChoices()} />
        </div>
        <details>
          <summary>More</summary>
          <TextField
            name="seed"
            label="Variant"
            hint="The same number makes the same users again."
            type="number"
            min="0"
            required
            value="1"
          />
        </details>
      </Form>
    </Panel>
  );
}

import { useSignal } from "@preact/signals";
import { control, type Job } from "../../api/client.ts";
import { instanceName, currentInstance } from "../../api/service.ts";
import { reloadAll } from "../../api/use-load.ts";
import { Button, changed } from "../../ui/button.tsx";
import { confirm } from "../../ui/dialog.tsx";
import { SelectField, Field, useForm, TextField, choicesOf, Refusal } from "../../ui/field.tsx";
import { Panel } from "../../ui/parts.tsx";
import { instanceChoices } from "../choices.ts";
import { Snapshots } from "./snapshots.tsx";
import type { BodyOf } from "../../../wire/control/types.ts";

/** The records: snapshots, reset, seed and generated users. */
export function DataPanel() {
  return (
    <>
      <Snapshots />
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
  const instances = instanceChoices().map(({ value, text }) => ({ value, text: `Users and sessions of ${text}` }));
  const ask = (): void => {
    const { value: id } = instance;
    confirm({
      title: id === "" ? "Reset everything?" : `Reset ${instanceName(id)}?`,
      action: "Reset",
      text: `${
        id === ""
          ? "All users, sessions, scenarios and changes of instances go, and the clock returns to real time."
          : "Its users, sessions and open sign-ins go."
      } What is there now is kept in a snapshot, the newest "previous".`,
      onSubmit: async () => {
        await control.request("POST /reset", { body: id === "" ? { all: true } : { instance: id } });
        changed("Reset to the first records");
      },
    });
  };
  return (
    <Panel title="Reset">
      <div class="stack">
        <p class="muted">
          Everything goes back to the records that the server began with, its seed, with the same ids and keys.
        </p>
        <div class="filters">
          <SelectField inline label="What to reset" value={instance} choices={choicesOf(instances, "Everything")} />
          <Button kind="danger" onClick={ask} testId="reset">
            Reset…
          </Button>
        </div>
      </div>
    </Panel>
  );
}

const EXAMPLE = '{ "personas": [{ "name": "Mary Shelley", "email": "mary@example.test" }] }';

/** Adds the records of a seed document. */
export function SeedForm() {
  const text = useSignal("");
  const form = useForm(async () => {
    await control.request("POST /seed", { body: parsed(text.value) });
    changed("The records were added");
    text.value = "";
  });
  return (
    <Panel title="Add records">
      <form class="stack" onSubmit={form.onSubmit}>
        <Field
          label="Seed document"
          hint="JSON with instances, users and personas, as svc serve --seed takes it. A conflict adds nothing."
          error={form.problem}
        >
          <textarea
            required
            spellcheck={false}
            placeholder={EXAMPLE}
            value={text.value}
            onInput={(event) => void (text.value = event.currentTarget.value)}
          />
        </Field>
        <div class="actions">
          <Button type="submit">Add</Button>
        </div>
      </form>
    </Panel>
  );
}

/** The server validates it, and names the place of each fault. */
function parsed(text: string): BodyOf<"POST /seed"> {
  try {
    return JSON.parse(text) as BodyOf<"POST /seed">;
  } catch (error) {
    throw new Error(`This is not JSON: ${(error as Error).message}`, { cause: error });
  }
}

/** Generates users in bulk, with names in many scripts. The same seed gives the same users. */
export function Generate() {
  const users = useSignal("1000");
  const seed = useSignal("1");
  const instance = useSignal(currentInstance());
  const job = useSignal<Job | undefined>(undefined);
  const form = useForm(async () => {
    job.value = undefined;
    const generate = {
      users: Number(users.value),
      seed: Number(seed.value),
      instance: instance.value || undefined,
    };
    job.value = (await control.request("POST /seed", { body: { generate } })) as Job;
    for await (const next of control.progressOf(job.value.id)) job.value = next;
    reloadAll();
    if (job.value.status === "failed") throw new Error(job.value.error ?? "The users could not be made.");
  });
  return (
    <Panel title="Generate users">
      <form class="stack" onSubmit={form.onSubmit}>
        <div class="form-grid">
          <TextField label="How many" type="number" min="1" max="1000000" required value={users} />
          <TextField
            label="Variant"
            hint="The same number makes the same users again."
            type="number"
            min="0"
            required
            value={seed}
          />
          <SelectField label="Instance" value={instance} choices={instanceChoices()} />
        </div>
        <Refusal reason={form.problem} />
        <div class="row">
          <Button type="submit" disabled={form.isBusy} testId="generate">
            Generate
          </Button>
          {job.value && (
            <span class="row" role="status">
              <progress max={job.value.total} value={job.value.done} aria-label="Users made" />
              <span class="muted">
                {job.value.status === "done"
                  ? `${job.value.total.toLocaleString("en")} users made`
                  : `${job.value.done.toLocaleString("en")} of ${job.value.total.toLocaleString("en")}`}
              </span>
            </span>
          )}
        </div>
      </form>
    </Panel>
  );
}

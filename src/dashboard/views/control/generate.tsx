import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { control } from "../../api/client.ts";
import type { Job } from "../../api/records.ts";
import { currentInstance } from "../../api/service.ts";
import { Button } from "../../ui/button.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { Panel, Refusal } from "../../ui/parts.tsx";
import { useForm } from "../../ui/use-form.ts";
import { instanceChoices } from "../choices.ts";

/** Generates users in bulk, with names in many scripts. The same seed gives the same users. */
export function Generate({ onDone }: { onDone: () => void }): VNode {
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
    onDone();
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

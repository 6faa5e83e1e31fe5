import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { get, post } from "../../api/client.ts";
import type { Job } from "../../api/records.ts";
import { service } from "../../api/service.ts";
import { Button } from "../../ui/button.tsx";
import { Field, Select } from "../../ui/field.tsx";
import { notify } from "../../ui/notices.tsx";
import { Panel } from "../../ui/parts.tsx";

const POLL_MS = 250;

/** Makes users in bulk, with names in many scripts; the same number gives the same users. */
export function Generate({ onDone }: { onDone: () => void }): VNode {
  const users = useSignal("1000");
  const seed = useSignal("1");
  const instance = useSignal("");
  const job = useSignal<Job | undefined>(undefined);
  const isRunning = job.value?.status === "running";
  const run = async (): Promise<void> => {
    job.value = await post<Job>("seed", {
      generate: {
        users: Number(users.value),
        seed: Number(seed.value),
        ...(instance.value && { instance: instance.value }),
      },
    });
    while (job.value.status === "running") {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      job.value = await get<Job>(`jobs/${encodeURIComponent(job.value.id)}`);
    }
    if (job.value.status === "failed") notify("bad", job.value.error ?? "The users could not be made.");
    onDone();
  };
  return (
    <Panel title="Generate users">
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          run().catch((error: unknown) => {
            job.value = undefined;
            notify("bad", (error as Error).message);
          });
        }}
      >
        <div class="form-grid">
          <Field label="How many">
            <input
              type="number"
              min="1"
              max="1000000"
              required
              value={users.value}
              onInput={(event) => void (users.value = event.currentTarget.value)}
            />
          </Field>
          <Field label="Seed" hint="The same seed makes the same users.">
            <input
              type="number"
              min="0"
              required
              value={seed.value}
              onInput={(event) => void (seed.value = event.currentTarget.value)}
            />
          </Field>
          <Select
            label="Instance"
            value={instance.value}
            choices={service.value.instances.map(({ id, data }, n) => ({ value: n === 0 ? "" : id, text: data.name }))}
            onChange={(value) => void (instance.value = value)}
          />
        </div>
        <div class="row">
          <Button type="submit" disabled={isRunning} testId="generate">
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

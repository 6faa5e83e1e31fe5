import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import type { BodyOf } from "../../../wire/control/types.ts";
import { control } from "../../api/client.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { notify } from "../../ui/notices.tsx";
import { Panel } from "../../ui/parts.tsx";
import { useForm } from "../../ui/use-form.ts";

const EXAMPLE = '{ "personas": [{ "name": "Mary Shelley", "email": "mary@example.test" }] }';

/** Adds the records of a seed document. */
export function SeedForm({ onDone }: { onDone: () => void }): VNode {
  const text = useSignal("");
  const form = useForm(async () => {
    await control.request("POST /seed", { body: parsed(text.value) });
    notify("good", "The records were added");
    text.value = "";
    onDone();
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

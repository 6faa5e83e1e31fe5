import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { post } from "../../api/client.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { notify } from "../../ui/notices.tsx";
import { Panel } from "../../ui/parts.tsx";

const EXAMPLE = '{ "personas": [{ "name": "Mary Shelley", "email": "mary@example.test" }] }';

/** Adds the records of a seed document to those that are there. */
export function SeedForm({ onDone }: { onDone: () => void }): VNode {
  const text = useSignal("");
  const problem = useSignal<string | undefined>(undefined);
  const add = async (): Promise<void> => {
    problem.value = undefined;
    try {
      await post("seed", JSON.parse(text.value));
      notify("good", "The records were added");
      text.value = "";
      onDone();
    } catch (error) {
      problem.value = error instanceof SyntaxError ? `This is not JSON: ${error.message}` : (error as Error).message;
    }
  };
  return (
    <Panel title="Add a seed">
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <Field
          label="Seed document"
          hint="Instances, users and personas, as in a seed file. A conflict adds nothing."
          error={problem.value}
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

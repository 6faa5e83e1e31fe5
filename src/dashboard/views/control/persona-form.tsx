import { control, type Persona } from "../../api/client.ts";
import { changed } from "../../ui/button.tsx";
import { FormDialog } from "../../ui/dialog.tsx";
import { FormField } from "../../ui/field.tsx";
import type { Send } from "../../ui/form.tsx";
import { PROVIDERS } from "../../../wire/providers.ts";
import type { BodyOf } from "../../../wire/control/types.ts";
import { parsed } from "./parsed.ts";

const EXAMPLE = { name: "Mary Shelley", email: "mary@example.test" };

/** Adds a persona, or changes one and its accounts at the simulated providers: as JSON, which the server validates. */
export function PersonaForm({ persona }: { persona?: Persona }) {
  const before = persona?.data ?? EXAMPLE;
  const save: Send = async ({ persona: text = "" }) => {
    const body = parsed(text) as NonNullable<BodyOf<"POST /personas">>;
    // An account that was removed from the text is removed.
    const gone = PROVIDERS.filter((provider) => persona?.data[provider] && !(provider in body));
    const all = { ...body, ...Object.fromEntries(gone.map((provider) => [provider, null])) };
    if (persona) await control.request("PATCH /personas/:id", { params: { id: persona.id }, body: all });
    else await control.request("POST /personas", { body });
    changed(`Saved ${body.email}`);
  };
  return (
    <FormDialog title={persona ? "Edit persona" : "New persona"} action={persona ? "Save" : "Add"} onSubmit={save}>
      <FormField
        label="Persona"
        hint="JSON, with the accounts at the providers. Without any, the persona has one at each, with this address."
      >
        <textarea name="persona" required rows={14} spellcheck={false} defaultValue={JSON.stringify(before, null, 2)} />
      </FormField>
    </FormDialog>
  );
}

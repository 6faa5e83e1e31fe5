import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import type { Provider } from "../../../wire/providers.ts";
import { control } from "../../api/client.ts";
import type { OutcomeId, Persona } from "../../api/records.ts";
import { service } from "../../api/service.ts";
import { Button } from "../../ui/button.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { notify } from "../../ui/notices.tsx";
import { Refusal } from "../../ui/parts.tsx";
import { useForm } from "../../ui/use-form.ts";
import { instanceChoices, outcomeChoices, personaChoices, providerChoices } from "../choices.ts";

export function ScenarioForm({ personas, onDone }: { personas: readonly Persona[]; onDone: () => void }): VNode {
  const outcome = useSignal<OutcomeId>("access_denied");
  const provider = useSignal<Provider | "">("");
  const instance = useSignal("");
  const account = useSignal("");
  const times = useSignal("1");
  const delay = useSignal("0");
  const chosen = service.value.outcomes.find(({ id }) => id === outcome.value);
  const form = useForm(async () => {
    await control.request("POST /scenarios", {
      body: {
        match: { provider: provider.value || undefined, instance: instance.value || undefined },
        as: account.value || undefined,
        outcome: outcome.value,
        times: times.value === "" ? null : Number(times.value),
        delay_ms: Number(delay.value),
      },
    });
    notify("good", "The scenario is set");
    onDone();
  });
  return (
    <form class="stack" onSubmit={form.onSubmit}>
      <div class="form-grid thirds">
        <SelectField label="What happens" value={outcome} choices={outcomeChoices()} />
        <SelectField
          label="At the provider"
          value={provider}
          choices={providerChoices("Any provider", chosen?.providers)}
        />
        <SelectField label="For the instance" value={instance} choices={instanceChoices("Any instance")} />
        <SelectField
          label="As the account"
          value={account}
          choices={personaChoices(personas, "The one in login_hint, or the first")}
        />
        <TextField
          label="How many times"
          hint="Leave it empty to keep it until it is removed."
          type="number"
          min="1"
          value={times}
        />
        <TextField label="Delay in ms" type="number" min="0" max="25000" value={delay} />
      </div>
      {chosen && (
        <p class="muted" data-testid="outcome-description">
          {chosen.description} The application sees: <code>{chosen.application_sees}</code>
        </p>
      )}
      <Refusal reason={form.problem} />
      <div class="actions">
        <Button kind="primary" type="submit" testId="create-scenario">
          Set up
        </Button>
      </div>
    </form>
  );
}

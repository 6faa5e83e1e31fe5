import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { visible } from "../../../wire/visible.ts";
import { post } from "../../api/client.ts";
import type { Persona } from "../../api/records.ts";
import { service } from "../../api/service.ts";
import { Button } from "../../ui/button.tsx";
import { choicesOf, Select, TextField } from "../../ui/field.tsx";
import { notify } from "../../ui/notices.tsx";
import { Refusal } from "../../ui/parts.tsx";
import { useForm } from "../../ui/use-form.ts";
import { instanceChoices } from "../instances/instance-choices.ts";

export function ScenarioForm({ personas, onDone }: { personas: readonly Persona[]; onDone: () => void }): VNode {
  const { outcomes, providers } = service.value;
  const outcome = useSignal("access_denied");
  const provider = useSignal("");
  const instance = useSignal("");
  const account = useSignal("");
  const times = useSignal("1");
  const delay = useSignal("0");
  const chosen = outcomes.find(({ id }) => id === outcome.value);
  const form = useForm(async () => {
    await post("scenarios", {
      match: {
        ...(provider.value && { provider: provider.value }),
        ...(instance.value && { instance: instance.value }),
      },
      ...(account.value && { as: account.value }),
      outcome: outcome.value,
      times: times.value === "" ? null : Number(times.value),
      delay_ms: Number(delay.value),
    });
    notify("good", "The scenario is set");
    onDone();
  });
  return (
    <form class="stack" onSubmit={form.onSubmit}>
      <div class="form-grid thirds">
        <Select
          label="What happens"
          value={outcome.value}
          choices={outcomes.map(({ id, title }) => ({ value: id, text: title }))}
          onChange={(value) => void (outcome.value = value)}
        />
        <Select
          label="At the provider"
          value={provider.value}
          choices={choicesOf(chosen ? chosen.providers : providers, "Any provider")}
          onChange={(value) => void (provider.value = value)}
        />
        <Select
          label="For the instance"
          value={instance.value}
          choices={instanceChoices("Any instance")}
          onChange={(value) => void (instance.value = value)}
        />
        <Select
          label="As the account"
          value={account.value}
          choices={[
            { value: "", text: "The hinted one, or the first" },
            ...personas.map(({ id, data }) => ({ value: id, text: visible(`${data.name ?? id} (${data.email})`) })),
          ]}
          onChange={(value) => void (account.value = value)}
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

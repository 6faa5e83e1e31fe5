import type { ServerEvent } from "../../../control-client/index.ts";
import { visible } from "../../../text/harmless.ts";
import { delayInWords } from "../../../wire/control/scenarios.ts";
import { control, type Scenario, type OutcomeId } from "../../api/client.ts";
import { instanceName, isWrite, service } from "../../api/service.ts";
import { reloadAll, useLoad, useReloadOn } from "../../api/use-load.ts";
import { Button, changed } from "../../ui/button.tsx";
import { Empty, Panel, Pill } from "../../ui/parts.tsx";
import { TablePanel, type Column } from "../../ui/table.tsx";
import { instanceChoices, outcomeChoices, providerChoices, usePersonaChoices } from "../choices.ts";
import { UserText } from "../../ui/values.tsx";
import { useSignal } from "@preact/signals";
import type { Provider } from "../../../wire/providers.ts";
import { Select, SelectField, TextField } from "../../ui/field.tsx";
import { Form, type Send } from "../../ui/form.tsx";

/** Scenarios: how the next sign-ins end, without a click on the picker. */
export function ScenariosPanel() {
  const list = useLoad(() => control.request("GET /scenarios"), []);
  useReloadOn(mayChangeScenarios, list.reload);
  const remove = async ({ id }: Scenario): Promise<void> => {
    await control.request("DELETE /scenarios/:id", { params: { id } });
    reloadAll();
  };
  const removeAll = async (): Promise<void> => {
    await control.request("DELETE /scenarios");
    changed("All scenarios removed");
  };
  return (
    <>
      <Panel title="New scenario">
        <div class="stack">
          <p class="muted">
            A scenario decides how the next matching sign-ins end, without the account picker. The account is the one
            that your application names in <code>login_hint</code>, unless you choose another.
          </p>
          <ScenarioForm />
        </div>
      </Panel>
      <TablePanel<Scenario>
        {...list}
        title="Scenarios"
        label="Scenarios"
        actions={
          list.data &&
          list.data.length > 0 && (
            <Button small kind="danger" onClick={removeAll}>
              Remove all
            </Button>
          )
        }
        empty={
          <Empty icon="control" title="No scenarios">
            Sign-ins show the account picker. A scenario answers for it: the account, and how the sign-in ends.
          </Empty>
        }
        columns={COLUMNS}
        buttonsOf={(scenario) => (
          <Button small kind="quiet" icon="cross" label="Remove" onClick={() => remove(scenario)} />
        )}
      />
    </>
  );
}

const COLUMNS: readonly Column<Scenario>[] = [
  {
    title: "Outcome",
    cell: ({ data }) => (
      <>
        <Pill tone={data.remaining === 0 ? "plain" : "warn"}>{data.outcome}</Pill>
        <small class="lines muted">{visible(rulesOf(data))}</small>
      </>
    ),
    isWide: true,
  },
  {
    title: "Used",
    cell: ({ data: { used, remaining } }) =>
      remaining === null ? `${used}, without end` : `${used} of ${used + remaining}`,
    align: "end",
  },
  { title: "Label", cell: ({ data: { label } }) => <UserText text={label ?? ""} />, isSpare: true },
];

/** For which sign-ins it is, as which account, and how long they wait. */
function rulesOf({ match, as, delay_ms }: Scenario["data"]): string {
  const matches = Object.entries(match).map(
    ([name, value]) => `${name} ${name === "instance" ? instanceName(value) : value}`,
  );
  const every = service.value.instances.length > 1 ? "every sign-in, of any instance" : "every sign-in";
  const delay = delayInWords(delay_ms);
  return [matches.join(", ") || every, as && `as ${as}`, delay && `waits for ${delay}`].filter(Boolean).join(", ");
}

/** A sign-in that a scenario was compared with may have used it up. */
function mayChangeScenarios({ resource, data }: ServerEvent): boolean {
  return resource === "flow" ? data.considered.length > 0 : isWrite(data) && data.path.includes("/v1/scenarios");
}

const DELAYED = [
  { value: "authorize", text: "The authorize page" },
  { value: "token", text: "The token endpoint" },
  { value: "profile", text: "The profile endpoint" },
];

export function ScenarioForm() {
  const outcome = useSignal<OutcomeId>("access_denied");
  const accounts = usePersonaChoices("The one in login_hint, or the first");
  const chosen = service.value.outcomes.find(({ id }) => id === outcome.value);
  const create: Send = async ({ provider, instance, as, times, delay, delayed = "authorize" }) => {
    await control.request("POST /scenarios", {
      body: {
        match: { provider: (provider || undefined) as Provider | undefined, instance: instance || undefined },
        as: as || undefined,
        outcome: outcome.value,
        times: times ? Number(times) : null,
        delay_ms: { [delayed]: Number(delay) },
      },
    });
    changed("The scenario is set");
  };
  return (
    <Form kind="primary" action="Set up" testId="create-scenario" onSubmit={create}>
      <div class="form-grid">
        <SelectField label="What happens" value={outcome} choices={outcomeChoices()} />
        <Select name="provider" label="At the provider" choices={providerChoices("Any provider", chosen?.providers)} />
        <Select name="instance" label="For the instance" choices={instanceChoices("Any instance")} />
        <Select name="as" label="As the account" choices={accounts} />
        <TextField
          name="times"
          label="How many times"
          hint="Leave it empty to keep it until it is removed."
          type="number"
          min="1"
          value="1"
        />
      </div>
      <details>
        <summary>More</summary>
        <div class="form-grid">
          <TextField name="delay" label="Delay in ms" type="number" min="0" max="25000" value="0" />
          <Select name="delayed" label="Delay of" choices={DELAYED} />
        </div>
      </details>
      {chosen && (
        <p class="muted" data-testid="outcome-description">
          {chosen.description} The application sees: <code>{chosen.application_sees}</code>
        </p>
      )}
    </Form>
  );
}

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { PROVIDERS, providerTitle } from "../../../wire/providers.ts";
import { visible } from "../../../wire/text/harmless.ts";
import { control, type Persona } from "../../api/client.ts";
import { useLoad } from "../../api/use-load.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { notify } from "../../ui/notices.tsx";
import { Empty, Panel, Pill, Placeholder, Problem } from "../../ui/parts.tsx";
import { Table } from "../../ui/table.tsx";
import { readPersonas } from "../choices.ts";
import { Person } from "../../ui/user-text.tsx";
import { PersonaForm } from "./persona-form.tsx";

/** The accounts at the simulated providers, which the account picker offers. */
export function PersonasPanel(): VNode {
  const { data, error, reload } = useLoad(readPersonas, []);
  const edited = useSignal<Persona | "new" | undefined>(undefined);
  const deleted = useSignal<Persona | undefined>(undefined);
  const remove = async ({ id, data: { email } }: Persona): Promise<void> => {
    await control.request("DELETE /personas/:id", { params: { id } });
    notify("good", `Deleted ${email}`);
    reload();
  };
  return (
    <Panel
      title="Personas"
      flush
      actions={
        <Button small icon="plus" testId="new-persona" onClick={() => void (edited.value = "new")}>
          New persona
        </Button>
      }
    >
      <p class="muted padded">
        A persona is a person with accounts at the simulated providers. The account picker offers them. Signing in makes
        a persona a user of the instance.
      </p>
      {error && <Problem error={error} onRetry={reload} />}
      {!data && !error && <Placeholder lines={6} />}
      {data?.length === 0 && (
        <Empty icon="users" title="No personas">
          Add one, or type in an address on the account picker.
        </Empty>
      )}
      {data && data.length > 0 && (
        <Table<Persona>
          label="Personas"
          rows={data}
          idOf={({ id }) => id}
          columns={[
            { title: "Persona", cell: (one) => <Person name={one.data.name ?? one.id} email={one.data.email} /> },
            { title: "Id", cell: ({ id }) => <code>{id}</code> },
            {
              title: "Accounts",
              cell: (one) => (
                <div class="row">
                  {PROVIDERS.filter((provider) => one.data[provider]).map((provider) => (
                    <Pill key={provider}>{providerTitle(provider)}</Pill>
                  ))}
                </div>
              ),
            },
            {
              title: "Action",
              align: "end",
              cell: (one) => (
                <div class="row">
                  <Button small onClick={() => void (edited.value = one)}>
                    Edit…
                  </Button>
                  <Button small kind="danger" onClick={() => void (deleted.value = one)}>
                    Delete…
                  </Button>
                </div>
              ),
            },
          ]}
        />
      )}
      {edited.value && (
        <PersonaForm
          {...(edited.value !== "new" && { persona: edited.value })}
          onClose={() => void (edited.value = undefined)}
          onDone={reload}
        />
      )}
      {deleted.value && (
        <Confirm
          title={`Delete ${visible(deleted.value.data.name ?? deleted.value.id)}?`}
          action="Delete persona"
          onClose={() => void (deleted.value = undefined)}
          onConfirm={() => remove(deleted.peek()!)}
        >
          <p>The account picker no longer offers it. The user that it signed in as stays.</p>
        </Confirm>
      )}
    </Panel>
  );
}

import { PROVIDERS, providerTitle } from "../../../wire/providers.ts";
import { visible } from "../../../text/harmless.ts";
import { control, type Persona } from "../../api/client.ts";
import { Button } from "../../ui/button.tsx";
import { AskButton, openDialog } from "../../ui/dialog.tsx";
import { Empty, Pill } from "../../ui/parts.tsx";
import { TablePanel } from "../../ui/table.tsx";
import { PersonShown } from "../../ui/values.tsx";
import { usePersonas } from "../choices.ts";
import { PersonaForm } from "./persona-form.tsx";

/** The accounts at the simulated providers, which the account picker offers. */
export function PersonasPanel() {
  const list = usePersonas();
  return (
    <TablePanel<Persona>
      {...list}
      title="Personas"
      label="Personas"
      actions={
        <Button small icon="plus" testId="new-persona" onClick={() => openDialog(<PersonaForm />)}>
          New persona
        </Button>
      }
      empty={
        <Empty icon="users" title="No personas">
          Add one, or type in an address on the account picker.
        </Empty>
      }
      columns={[
        {
          title: "Persona",
          cell: (one) => <PersonShown name={one.data.name ?? one.id} email={one.data.email} />,
          isWide: true,
        },
        { title: "Id", cell: ({ id }) => <code>{id}</code>, isSpare: true },
        {
          title: "Accounts",
          cell: (one) => (
            <div class="row">
              {PROVIDERS.filter((provider) => one.data[provider]).map((provider) => (
                <Pill key={provider}>{providerTitle(provider)}</Pill>
              ))}
            </div>
          ),
          isSpare: true,
        },
      ]}
      buttonsOf={(one) => (
        <>
          <Button small onClick={() => openDialog(<PersonaForm persona={one} />)}>
            Edit…
          </Button>
          <AskButton
            small
            button="Delete…"
            title={`Delete ${visible(one.data.name ?? one.id)}?`}
            action="Delete persona"
            run={() => control.request("DELETE /personas/:id", { params: { id: one.id } })}
            done={`Deleted ${one.data.email}`}
          >
            The account picker no longer offers it. The user that it signed in as stays.
          </AskButton>
        </>
      )}
    >
      <p class="muted padded">
        A persona is a person with accounts at the simulated providers. The account picker offers them. Signing in makes
        a persona a user of the instance.
      </p>
    </TablePanel>
  );
}

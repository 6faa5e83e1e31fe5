import type { AnswerOf } from "../../wire/control/types.ts";
import { providerTitle, type Provider } from "../../wire/providers.ts";
import { clientVariablesOf } from "../../wire/variables.ts";
import { control, type Instance } from "../api/client.ts";
import { useLoad } from "../api/use-load.ts";
import { Button, changed } from "../ui/button.tsx";
import { AskButton, FormDialog, openDialog } from "../ui/dialog.tsx";
import { FormField, Select, TextField } from "../ui/field.tsx";
import type { Send } from "../ui/form.tsx";
import { Pill } from "../ui/parts.tsx";
import { TablePanel, type Column } from "../ui/table.tsx";
import { CopyButton } from "../ui/values.tsx";
import { providerChoices } from "./choices.ts";

type Client = AnswerOf<"GET /instances/:id/clients">[number];

const COLUMNS: readonly Column<Client>[] = [
  {
    title: "Client",
    cell: ({ id, data }) => (
      <>
        <div class="row">
          <code>{id}</code> <Pill>{providerTitle(data.provider)}</Pill>
        </div>
        <small class="lines muted">back to {data.redirect_uris.join(", ")}</small>
      </>
    ),
    isWide: true,
  },
  {
    title: "Secret",
    cell: ({ data: { client_secret } }) =>
      client_secret === undefined ? (
        "none: a public client"
      ) : (
        <div class="row">
          <code>••••••••</code>
          <CopyButton text={client_secret} label="Client secret" />
        </div>
      ),
  },
];

/** The clients that the application has of its own at the simulated providers, with what a library needs of each. */
export function ClientsPanel({ instance: { id } }: { instance: Instance }) {
  const list = useLoad(() => control.request("GET /instances/:id/clients", { params: { id } }), [id]);
  return (
    <TablePanel<Client>
      {...list}
      title="Clients of your own"
      label="Clients of your own"
      actions={
        <Button small icon="plus" testId="new-client" onClick={() => openDialog(<ClientForm instance={id} />)}>
          New client
        </Button>
      }
      columns={COLUMNS}
      buttonsOf={(client) => (
        <>
          <CopyButton text={variablesText(client)} label="Its id, secret and addresses">
            Copy for a library
          </CopyButton>
          <Button small onClick={() => openDialog(<ClientForm instance={id} client={client} />)}>
            Edit…
          </Button>
          <AskButton
            small
            button="Remove…"
            title={`Remove ${client.id}?`}
            action="Remove"
            run={() =>
              control.request("DELETE /instances/:id/clients/:client_id", { params: { id, client_id: client.id } })
            }
            done={`Removed ${client.id}`}
          >
            The simulated {providerTitle(client.data.provider)} no longer knows it, and its tokens end.
          </AskButton>
        </>
      )}
      empty={
        <p class="padded muted">
          None. Add one to point your application's own Google, GitHub or X at the simulated one.
        </p>
      }
    />
  );
}

function variablesText({ data }: Client): string {
  return Object.entries(clientVariablesOf(data))
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");
}

function ClientForm({ instance: id, client }: { instance: string; client?: Client }) {
  const save: Send = async ({ provider, client_id = "", client_secret = "", redirect_uris: text = "" }) => {
    const redirect_uris = text.split(/\s+/).filter(Boolean);
    const body = { client_secret, redirect_uris };
    if (client) {
      const params = { id, client_id: client.id };
      await control.request("PATCH /instances/:id/clients/:client_id", { params, body });
    } else {
      const made = { ...body, client_id, provider: provider as Provider };
      await control.request("POST /instances/:id/clients", { params: { id }, body: made });
    }
    changed("Saved");
  };
  return (
    <FormDialog title={client ? `Edit ${client.id}` : "New client"} action="Save" onSubmit={save}>
      {!client && <Select name="provider" label="At the simulated" choices={providerChoices()} />}
      {!client && <TextField name="client_id" label="Client id" required autocomplete="off" />}
      <TextField
        name="client_secret"
        label="Client secret"
        required
        autocomplete="off"
        value={client?.data.client_secret}
      />
      <FormField label="Callbacks" hint="One in each line, as your application sends them.">
        <textarea
          name="redirect_uris"
          required
          spellcheck={false}
          defaultValue={client?.data.redirect_uris.join("\n") ?? ""}
        />
      </FormField>
    </FormDialog>
  );
}

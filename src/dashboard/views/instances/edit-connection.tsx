import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { providerTitle, type Provider } from "../../../wire/providers.ts";
import { control } from "../../api/client.ts";
import type { Connection, Instance } from "../../api/records.ts";
import { TextField } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { notify } from "../../ui/notices.tsx";

export interface Listed {
  readonly connection: Connection;
  /** The instance's own credentials, in use or not. */
  readonly own: Instance["data"]["connections"][Provider];
}

/** Sets an instance's credentials for a provider, and the addresses that they are sent to, such as a company's own server. */
export function EditConnection({
  instance,
  connection: { data },
  own,
  onClose,
  onDone,
}: Listed & {
  instance: string;
  onClose: () => void;
  onDone: () => void;
}): VNode {
  const clientId = useSignal(own?.client_id ?? "");
  const secret = useSignal("");
  const title = providerTitle(data.provider);
  const endpoints = Object.entries(data.endpoints).map(([name, address]) => ({
    name,
    address,
    own: useSignal(own?.endpoints?.[name] ?? ""),
  }));
  const save = async (): Promise<void> => {
    const given = endpoints.map((each) => [each.name, each.own.value.trim()] as const).filter(([, value]) => value);
    await control.request("PUT /instances/:id/connections/:provider", {
      params: { id: instance, provider: data.provider },
      body: {
        client_id: clientId.value.trim(),
        client_secret: secret.value.trim(),
        ...(given.length > 0 && { endpoints: Object.fromEntries(given) }),
      },
    });
    notify("good", `${title}: own credentials saved`);
    onDone();
  };
  return (
    <FormDialog
      title={`Own credentials for ${title}`}
      action="Save"
      fields={["client_id", "client_secret"]}
      onSubmit={save}
      onClose={onClose}
    >
      <p class="muted">
        At the provider, register this callback address: <code>{data.callback_url}</code>
      </p>
      <TextField name="client_id" label="Client id" required autocomplete="off" value={clientId} />
      <TextField
        name="client_secret"
        label="Client secret"
        hint="It is kept with the instance and never shown again."
        required
        type="password"
        autocomplete="off"
        value={secret}
      />
      <details open={Boolean(own?.endpoints)} data-testid="endpoints">
        <summary>Addresses of the provider</summary>
        <div class="stack">
          <p class="muted">For a server of your own. An empty one is {title}'s. https, or http on this machine.</p>
          {endpoints.map(({ name, address, own: value }) => (
            <TextField key={name} label={name} type="url" placeholder={address} value={value} />
          ))}
        </div>
      </details>
    </FormDialog>
  );
}

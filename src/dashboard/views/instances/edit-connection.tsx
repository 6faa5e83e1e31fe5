import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { providerTitle, type Provider } from "../../../wire/names.ts";
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

/** Sets an instance's credentials for a provider. They go on to the addresses that it had, such as a company's own server. */
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
  const save = async (): Promise<void> => {
    await control.request("PUT /instances/:id/connections/:provider", {
      params: { id: instance, provider: data.provider },
      body: {
        client_id: clientId.value.trim(),
        client_secret: secret.value.trim(),
        ...(own?.endpoints && { endpoints: own.endpoints }),
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
      {own?.endpoints && (
        <p class="muted" data-testid="kept-endpoints">
          These credentials are sent to{" "}
          {[...new Set(Object.values(own.endpoints).map((url) => new URL(url).host))].join(", ")}.
        </p>
      )}
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
    </FormDialog>
  );
}

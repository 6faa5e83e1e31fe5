import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { providerTitle } from "../../../wire/names.ts";
import { control } from "../../api/client.ts";
import type { Connection } from "../../api/records.ts";
import { TextField } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { notify } from "../../ui/notices.tsx";

/** Sets an instance's credentials for a provider. */
export function EditConnection({
  instance,
  connection: { data },
  onClose,
  onDone,
}: {
  instance: string;
  connection: Connection;
  onClose: () => void;
  onDone: () => void;
}): VNode {
  const clientId = useSignal((data.in_force === "own" && data.client_id) || "");
  const secret = useSignal("");
  const title = providerTitle(data.provider);
  const save = async (): Promise<void> => {
    await control.request("PUT /instances/:id/connections/:provider", {
      params: { id: instance, provider: data.provider },
      body: { client_id: clientId.value.trim(), client_secret: secret.value.trim() },
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
    </FormDialog>
  );
}
